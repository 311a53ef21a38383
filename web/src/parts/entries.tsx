// The lines of a conversation, oldest first, with the end kept in view.

import { effect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { api } from "../api";
import type { Note } from "../state/notes";
import type { Links } from "../state/route";
import { hasTask, keep, taskOf } from "../state/tasks";
import { toast } from "../state/toasts";
import { helloCount } from "../state/world";
import { t } from "../text";
import type { Task } from "../types";
import { reasonOf } from "./failure";
import { FetchProblem } from "./fetch-problem";
import { Icon } from "./icon";
import { Loading } from "./screen-head";
import { ClockTime } from "./since";
import { TaskEntry } from "./task-entry";

export type Line = { kind: "task"; at: string; task: Task } | { kind: "note"; at: string; note: Note };

export function inOrder(tasks: Task[], said: readonly Note[]): Line[] {
  const lines: Line[] = [
    ...tasks.map((task): Line => ({ kind: "task", at: task.created_at, task })),
    ...said.map((note): Line => ({ kind: "note", at: note.at, note })),
  ];
  return lines.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** A line for each run of the agent: `began` is that of the one that runs. Of a run whose first messages are not shown
 *  the beginning is not shown either. */
export function startsOf(tasks: readonly Task[], hasOlder: boolean, began: string | null): Note[] {
  const runs = new Set(tasks.flatMap((task) => (task.run ? [Date.parse(task.run)] : [])));
  if (hasOlder) runs.delete(Math.min(...runs));
  if (began !== null) runs.add(Date.parse(began));
  return [...runs].map((at) => ({ at: new Date(at).toISOString(), text: t("note.started"), tone: "plain" }));
}

type Past = { hasOlder: boolean; isLoading: boolean; problem: string | null; older: () => void; again: () => void };

/** So many pages are looked through for a message that an address names. */
const MOST_PAGES = 15;

/** Fetches what was said to an agent, page by page; down to `meant` at first, if the address names a message. */
export function usePast(id: string, meant = ""): Past {
  const [next, setNext] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isLoading, setIsLoading] = useState(true);
  const load = async (before: string | null) => {
    setIsLoading(true);
    try {
      let page = await api.messages(id, before);
      keep(page.tasks);
      const isThere = () => meant === "" || hasTask(meant);
      for (let pages = 1; !isThere() && page.next !== null && pages < MOST_PAGES; pages += 1) {
        page = await api.messages(id, page.next);
        keep(page.tasks);
      }
      if (!isThere()) toast("plain", t("entry.gone"));
      setNext(page.next);
      setProblem(null);
    } catch (error) {
      setProblem(reasonOf(error));
    } finally {
      setIsLoading(false);
    }
  };
  // Another hello may have left out what happened in between.
  useEffect(() => void load(null), [id, meant, helloCount.value]);
  return { hasOlder: next !== null, isLoading, problem, older: () => void load(next), again: () => void load(null) };
}

type Props = {
  lines: Line[];
  past: Past;
  handle: string;
  links: Links | null;
  empty: ComponentChildren;
  /** The message that the address names. */
  meant: string;
  onEdit?: (text: string) => void;
};

export function Entries({ lines, past, handle, links, empty, meant, onEdit }: Props) {
  const { list, hasNews, toEnd, onScroll } = useEndInView(lines, meant);
  return (
    <>
      <div class="entries" ref={list} onScroll={onScroll} tabIndex={0} role="log" aria-label={t("tab.conversation")}>
        {past.hasOlder && (
          <button type="button" class="button small older" disabled={past.isLoading} onClick={past.older}>
            {t("conversation.older")}
          </button>
        )}
        {past.isLoading && lines.length === 0 && <Loading />}
        {past.problem && <FetchProblem text={past.problem} again={past.again} />}
        {!past.isLoading && !past.problem && !lines.some((line) => line.kind === "task") && <p class="hint">{empty}</p>}
        {lines.map((line) =>
          line.kind === "task" ? (
            <TaskEntry key={line.task.id} id={line.task.id} handle={handle} links={links} isMeant={line.task.id === meant} onEdit={onEdit} />
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
    </>
  );
}

/** So near to the end counts as reading the end. */
const NEAR_PX = 80;

/** Follows the end while it is in view; otherwise offers to go there and never jumps. Goes to a message that is meant, once. */
function useEndInView(lines: Line[], meant: string) {
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(meant === "");
  const shown = useRef("");
  const [hasNews, setHasNews] = useState(false);
  const toEnd = () => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
    isAtEnd.current = true;
    setHasNews(false);
  };
  const last = lines[lines.length - 1];
  const lastTask = last?.kind === "task" ? last.task.id : null;
  // What the last one says grows without another line: it is followed by its own signal.
  useEffect(() => {
    if (lastTask === null) return;
    return effect(() => {
      void taskOf(lastTask);
      // Drawn first, measured then.
      requestAnimationFrame(() => isAtEnd.current && toEnd());
    });
  }, [lastTask]);
  useLayoutEffect(() => {
    const entry = meant === "" || shown.current === meant ? null : list.current?.querySelector<HTMLElement>(".is-meant");
    if (entry) {
      shown.current = meant;
      isAtEnd.current = false;
      entry.scrollIntoView({ block: "start" });
      entry.focus({ preventScroll: true });
    } else if (isAtEnd.current) toEnd();
    else setHasNews(true);
  }, [lines.length, lastTask, meant]);
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
