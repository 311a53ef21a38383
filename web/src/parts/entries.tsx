// The lines of a conversation, oldest first, with the end kept in view. Of a long one only a stretch is drawn.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Note } from "../state/notes";
import type { Links } from "../state/route";
import { t } from "../text";
import type { Task } from "../types";
import { FetchProblem } from "./fetch-problem";
import { Icon } from "./icon";
import { Loading } from "./screen-head";
import { ClockTime } from "./since";
import { TaskEntry } from "./task-entry";
import { useEndInView } from "./use-end-in-view";
import type { Past } from "./use-past";

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

/** So many lines are drawn at first, and so many more each time somebody asks for them, up to the most. */
const STRETCH = 100;
const MOST_DRAWN = 300;

/** Which lines are drawn, counted from the end: those behind `skipped`, `drawn` of them. */
type Stretch = { skipped: number; drawn: number };

export function Entries({ lines, past, handle, links, empty, meant, onEdit }: Props) {
  const [{ skipped, drawn }, setStretch] = useState<Stretch>({ skipped: 0, drawn: STRETCH });
  const at = meant === "" ? -1 : lines.findIndex((line) => keyOf(line) === meant);
  // Around the message that is meant, once it is there.
  useEffect(() => {
    const behind = lines.length - at;
    if (at >= 0 && (behind > skipped + drawn || behind <= skipped)) setStretch({ skipped: Math.max(0, behind - STRETCH / 2), drawn: STRETCH });
  }, [meant, at >= 0]);
  const to = Math.max(0, lines.length - skipped);
  const from = Math.max(0, to - drawn);
  const shown = lines.slice(from, to);
  const { list, hasNews, toEnd, onScroll } = useEndInView({ first: keyOf(shown[0]), last: keyOf(shown[shown.length - 1]), newest: keyOf(lines[lines.length - 1]), meant });
  const older = async () => {
    if (from === 0) await past.older();
    const more = drawn + STRETCH;
    setStretch({ skipped: skipped + Math.max(0, Math.min(more, to) - MOST_DRAWN), drawn: Math.min(more, MOST_DRAWN) });
  };
  const newer = () => {
    const more = Math.min(skipped, STRETCH);
    setStretch({ skipped: skipped - more, drawn: Math.min(drawn + more, MOST_DRAWN) });
  };
  return (
    <>
      <div class="entries" ref={list} onScroll={onScroll} tabIndex={0} role="log" aria-label={t("tab.conversation")}>
        {(past.hasOlder || from > 0) && (
          <button type="button" class="button small older" disabled={past.isLoading} onClick={() => void older()}>
            {t("conversation.older")}
          </button>
        )}
        {past.isLoading && lines.length === 0 && <Loading />}
        {past.problem && <FetchProblem text={past.problem} again={past.again} />}
        {shown.map((line) =>
          line.kind === "task" ? (
            <TaskEntry key={line.task.id} id={line.task.id} handle={handle} links={links} isMeant={line.task.id === meant} onEdit={onEdit} />
          ) : (
            <p key={keyOf(line)} class={`system-line tone-${line.note.tone}`}>
              {line.note.text} · <ClockTime at={line.at} />
            </p>
          ),
        )}
        {!past.isLoading && !past.problem && !lines.some((line) => line.kind === "task") && <p class="hint">{empty}</p>}
        {skipped > 0 && (
          <button type="button" class="button small older" onClick={newer}>
            {t("conversation.newer")}
          </button>
        )}
      </div>
      {hasNews && (
        <button
          type="button"
          class="news"
          onClick={() => {
            setStretch({ skipped: 0, drawn: STRETCH });
            toEnd();
          }}
        >
          <Icon name="down" /> {t("conversation.news")}
        </button>
      )}
    </>
  );
}

/** What names a line: a message by its task. */
function keyOf(line: Line | undefined): string {
  if (!line) return "";
  return line.kind === "task" ? line.task.id : `${line.at}${line.note.text}`;
}
