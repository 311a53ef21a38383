// The words of the flows room, in both languages. They come with the room, not with the page.

import { prefs } from "../state/prefs";

const en = {
  title: "Flows",
  runs: "Running",
  history: "History",
  known: "Flows",
  none: "No flow has run yet",
  run: "Run",
  running: "Running…",
  start: "Run {name}",
  started: "{name} has started",
  simulate: "Simulate: with the dummy agent, changing nothing",
  stop: "Stop",
  stopSure: "Stop all of it?",
  stopped: "{name} has stopped",
  stopOpen: "{name} has not stopped yet",
  resume: "Resume",
  lost: "Its process is gone. Resume goes on with what is done.",
  graph: "The steps of this run",
  node: "{name}, {state}",
  asks: "{name} asks",
  answered: "Answered: {value}",
  conversation: "Conversation",
  terminal: "Terminal",
  changes: "Changes",
  task: "Task",
  attempt: "attempt {n}",
  round: "round {n}",
  took: "{time}",
  turns: "{n} turns",
  tokens: "{n} tokens",
  by: "started by {name}",
  untrusted: "Comes with this project and is not trusted yet: synapse flow trust",
  back: "All flows",
  output: "Result",
  pick: "Choose a step to see its work",
  waiting: "waiting",
  asking: "asking",
  running_: "running",
  done: "done",
  failed: "failed",
  skipped: "skipped",
  refused: "refused",
  stopping: "stopping",
  stopped_: "stopped",
  lost_: "lost",
};

const ja: Record<keyof typeof en, string> = {
  title: "フロー",
  runs: "実行中",
  history: "履歴",
  known: "フロー一覧",
  none: "まだフローは実行されていません",
  run: "実行",
  running: "実行しています…",
  start: "{name} を実行",
  started: "{name} を開始しました",
  simulate: "シミュレーション: ダミーエージェントで実行し、何も変更しない",
  stop: "停止",
  stopSure: "すべて停止しますか?",
  stopped: "{name} は停止しました",
  stopOpen: "{name} はまだ停止していません",
  resume: "再開",
  lost: "プロセスがありません。再開すると、終わったところから続きます。",
  graph: "この実行のステップ",
  node: "{name}、{state}",
  asks: "{name} からの質問",
  answered: "回答しました: {value}",
  conversation: "会話",
  terminal: "ターミナル",
  changes: "変更",
  task: "タスク",
  attempt: "{n} 回目",
  round: "{n} 周目",
  took: "{time}",
  turns: "{n} ターン",
  tokens: "{n} トークン",
  by: "{name} が開始",
  untrusted: "このプロジェクトのフローで、まだ信頼されていません: synapse flow trust",
  back: "フロー一覧へ",
  output: "結果",
  pick: "ステップを選ぶと内容が表示されます",
  waiting: "待機",
  asking: "質問中",
  running_: "実行中",
  done: "完了",
  failed: "失敗",
  skipped: "省略",
  refused: "却下",
  stopping: "停止処理中",
  stopped_: "停止",
  lost_: "プロセスなし",
};

export type Word = keyof typeof en;

export function w(key: Word, values: Record<string, string | number> = {}): string {
  const text = (prefs.value.language === "ja" ? ja : en)[key];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The word for a state of a run or a step. */
export function stateWord(state: string): string {
  const key = (["running", "stopped", "lost"].includes(state) ? `${state}_` : state) as Word;
  return key in en ? w(key) : state;
}

export function duration(from: number | null, to: number | null): string {
  if (from === null || to === null) return "";
  const seconds = Math.max(0, Math.round((to - from) / 100) / 10);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
