// The view as rows: worktrees with their agents, the waiting ones first, their questions with what can be answered, and
// flows that are under way. Pure: words and pictures are given to them by the view.

import { byUrgency, folderName, groups, repositoryName, type Group } from "../../web/src/state/agent-order";
import type { FlowAsk, FlowLine } from "../../web/src/state/flows";
import { takesText, valueOf } from "../../web/src/state/prompt-answer";
import type { Agent, Prompt } from "../../web/src/types";

export type Row =
  | { kind: "worktree"; group: Group; name: string; repository: string | null }
  | { kind: "agent"; agent: Agent }
  | { kind: "question"; agent: Agent; prompt: Prompt }
  /** `value` null: something is to be typed. */
  | { kind: "option"; agent: Agent; prompt: Prompt; index: number; label: string; value: string | null }
  | { kind: "flows"; runs: FlowLine[] }
  | { kind: "run"; run: FlowLine }
  | { kind: "run-question"; run: FlowLine; ask: FlowAsk }
  | { kind: "run-option"; run: FlowLine; ask: FlowAsk; value: string };

export function topRows(agents: readonly Agent[], runs: readonly FlowLine[]): Row[] {
  const sorted = [...agents].sort(byUrgency);
  // A worktree where somebody waits stands before all others; `groups` keeps those of a repository together.
  const found = groups(sorted);
  const isWaiting = (group: Group) => group.agents.some((agent) => agent.status === "waiting");
  const ordered = [...found.filter(isWaiting), ...found.filter((group) => !isWaiting(group))];
  const rows: Row[] = ordered.map((group) => ({ kind: "worktree", group, name: folderName(group.dir), repository: repositoryName(group) }));
  const live = runs.filter((run) => run.state === "running" || run.state === "stopping");
  return live.length === 0 ? rows : [...rows, { kind: "flows", runs: live }];
}

export function rowsBelow(row: Row): Row[] {
  switch (row.kind) {
    case "worktree":
      return row.group.agents.map((agent) => ({ kind: "agent", agent }));
    case "agent":
      return row.agent.prompt ? [{ kind: "question", agent: row.agent, prompt: row.agent.prompt }, ...optionsOf(row.agent, row.agent.prompt)] : [];
    case "flows":
      return row.runs.map((run) => ({ kind: "run", run }));
    case "run":
      return row.run.asks.flatMap((ask): Row[] => [
        { kind: "run-question", run: row.run, ask },
        ...ask.options.map((value): Row => ({ kind: "run-option", run: row.run, ask, value })),
      ]);
    default:
      return [];
  }
}

export function optionsOf(agent: Agent, prompt: Prompt): Extract<Row, { kind: "option" }>[] {
  const options = prompt.options.map((option, index) => ({
    kind: "option" as const, agent, prompt, index, label: option.label || option.key, value: valueOf(prompt, index) as string | null,
  }));
  if (takesText(prompt)) options.push({ kind: "option", agent, prompt, index: options.length, label: "", value: null });
  return options;
}

/** The same row after a change. The editor remembers for each what is folded; a question makes another row of its agent,
 * so that it is unfolded. */
export function idOf(row: Row): string {
  switch (row.kind) {
    case "worktree":
      return `worktree:${row.group.worktree}`;
    case "agent":
      return `agent:${row.agent.id}:${row.agent.prompt?.id ?? ""}`;
    case "question":
      return `question:${row.agent.id}:${row.prompt.id}`;
    case "option":
      return `option:${row.agent.id}:${row.prompt.id}:${row.index}`;
    case "flows":
      return "flows";
    case "run":
      return `run:${row.run.id}:${row.run.asks.map((ask) => ask.id).join()}`;
    case "run-question":
      return `run-question:${row.run.id}:${row.ask.id}`;
    case "run-option":
      return `run-option:${row.run.id}:${row.ask.id}:${row.value}`;
  }
}

/** How many wait for a person: agents, and gates of flows. */
export function waitingCount(agents: readonly Agent[], runs: readonly FlowLine[]): number {
  const asks = runs.filter((run) => run.state === "running").flatMap((run) => run.asks);
  return agents.filter((agent) => agent.status === "waiting").length + asks.length;
}

export const isBusy = (agent: Agent) => agent.status === "working" || agent.status === "waiting" || agent.status === "stopping";

/** What a question is about, in one line: the command where it is known by itself, else what its dialog says. */
export function aboutOf(prompt: Prompt): string {
  const lines = (prompt.call?.input ?? prompt.detail).split("\n").map((line) => line.trim()).filter(Boolean);
  return lines.slice(0, 3).join(" · ");
}
