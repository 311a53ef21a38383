// What was said to an agent and by it, oldest first, with the open question and the message bar below.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { api } from "../api";
import { FetchProblem } from "../parts/fetch-problem";
import { reasonOf } from "../parts/failure";
import { Icon } from "../parts/icon";
import { MessageBar } from "../parts/message-bar";
import { PromptCard } from "../parts/prompt-card";
import { QueueChips } from "../parts/queue-chips";
import { Loading } from "../parts/screen-head";
import { ClockTime } from "../parts/since";
import { TaskEntry } from "../parts/task-entry";
import { notes, type Note } from "../state/notes";
import { keep, tasksOf } from "../state/tasks";
import { helloCount } from "../state/world";
import { t } from "../text";
import type { Agent, Task } from "../types";

type Props = { agent: Agent; bindStop: (press: () => void) => void; bindAnswer: (answer: (option: number) => void) => void };
type Line = { kind: "task"; at: string; task: Task } | { kind: "note"; at: string; note: Note };

/** So near to the end counts as reading the end. */
const NEAR_PX = 80;

export function ConversationTab({ agent, bindStop, bindAnswer }: Props) {
  const [next, setNext] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isLoading, setIsLoading] = useState(true);
  const [insert, setInsert] = useState({ text: "", count: 0 });
  const load = async (before: string | null) => {
    setIsLoading(true);
    try {
      const page = await api.messages(agent.id, before);
      keep(page.tasks);
      setNext(page.next);
      setProblem(null);
    } catch (error) {
      setProblem(reasonOf(error));
    } finally {
      setIsLoading(false);
    }
  };
  // Another hello may have left out what happened in between.
  useEffect(() => void load(null), [agent.id, helloCount.value]);

  const all = tasksOf(agent.id);
  const queued = all.filter((task) => task.status.state === "submitted");
  const lines = inOrder(all.filter((task) => task.status.state !== "submitted"), notes.value.get(agent.id) ?? []);
  const { list, hasNews, toEnd, onScroll } = useEndInView(lines);
  return (
    <div class="conversation">
      <div class="entries" ref={list} onScroll={onScroll} tabIndex={0} role="log" aria-label={t("tab.conversation")}>
        {next && (
          <button type="button" class="button small older" disabled={isLoading} onClick={() => void load(next)}>
            {t("conversation.older")}
          </button>
        )}
        {isLoading && lines.length === 0 && <Loading />}
        {problem && <FetchProblem text={problem} again={() => void load(null)} />}
        {!isLoading && !problem && lines.length === 0 && <p class="hint">{t("conversation.empty", { name: agent.handle })}</p>}
        {lines.map((line) =>
          line.kind === "task" ? (
            <TaskEntry key={line.task.id} task={line.task} handle={agent.handle} />
          ) : (
            <p key={`${line.at}${line.note.text}`} class={`system-line tone-${line.note.tone}`}>
              {line.note.text} · <ClockTime at={line.at} />
            </p>
          ),
        )}
      </div>
      {hasNews && (
        <button type="button" class="news" onClick={toEnd}>
          <Icon name="down" /> {t("conversation.news")}
        </button>
      )}
      <div class="composer">
        {agent.prompt && <PromptCard agent={agent.id} prompt={agent.prompt} bind={bindAnswer} />}
        <QueueChips agent={agent.id} queued={queued} onEdit={(text) => setInsert({ text, count: insert.count + 1 })} />
        <MessageBar agent={agent} insert={insert} bindStop={bindStop} />
      </div>
    </div>
  );
}

function inOrder(tasks: Task[], said: readonly Note[]): Line[] {
  const lines: Line[] = [
    ...tasks.map((task): Line => ({ kind: "task", at: task.created_at, task })),
    ...said.map((note): Line => ({ kind: "note", at: note.at, note })),
  ];
  return lines.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** Follows the end while it is in view; otherwise offers to go there and never jumps. */
function useEndInView(lines: Line[]) {
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [hasNews, setHasNews] = useState(false);
  const toEnd = () => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
    isAtEnd.current = true;
    setHasNews(false);
  };
  useLayoutEffect(() => {
    if (isAtEnd.current) toEnd();
    else setHasNews(true);
  }, [lines.length, endVersion(lines)]);
  useEffect(() => {
    const watched = list.current;
    if (!watched) return;
    const watcher = new ResizeObserver(() => isAtEnd.current && toEnd());
    watcher.observe(watched);
    return () => watcher.disconnect();
  }, []);
  const onScroll = () => {
    const box = list.current;
    if (!box) return;
    isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
    if (isAtEnd.current) setHasNews(false);
  };
  return { list, hasNews, toEnd, onScroll };
}

/** Another value whenever the last line grew. */
function endVersion(lines: Line[]): string {
  const last = lines[lines.length - 1];
  return last?.kind === "task" ? `${last.task.status.state}${JSON.stringify(last.task.artifacts).length}` : (last?.at ?? "");
}
