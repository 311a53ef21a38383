// The tasks the page has seen, by id. Events come from the live line; what they do not tell is fetched, once at a time.

import { signal } from "@preact/signals";
import { api } from "../api";
import type { Task, TaskEvent } from "../types";
import { fetched, isOver, isWithdrawn, take, type Live } from "./task-fold";

export const tasks = signal<ReadonlyMap<string, Live>>(new Map());

/** Tasks of agents nobody looks at are forgotten beyond this many. */
const MOST = 1_000;
/** Events of a fetched task come in bursts; one fetch answers them all. */
const FETCH_PAUSE_MS = 120;

const waiting = new Map<string, number>();

/** What was said to an agent, oldest first, without what was taken back before it ran. */
export function saidTo(agent: string): Task[] {
  const found: Task[] = [];
  for (const { task } of tasks.value.values()) {
    if (task.owner !== agent) continue;
    const isNothing = isWithdrawn(task);
    if (isNothing === null) fetchSoon(task.id);
    if (isNothing === false) found.push(task);
  }
  return found.sort((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id));
}

/** Takes in copies from the hub. One that is followed live is newer than any copy, unless it is over. */
export function keep(copies: readonly Task[]): void {
  const next = new Map(tasks.value);
  for (const copy of copies) {
    const known = next.get(copy.id);
    // Lists leave the history out; what is known of it stays true while the state is the same.
    if (!copy.history && known?.task.history && known.task.status.state === copy.status.state) copy.history = known.task.history;
    const isFollowed = known !== undefined && known.number !== null && !isOver(known.task.status.state);
    if (!isFollowed || isOver(copy.status.state)) next.set(copy.id, fetched(copy));
  }
  while (next.size > MOST) {
    const oldest = next.keys().next().value;
    if (oldest === undefined) break;
    next.delete(oldest);
  }
  tasks.value = next;
}

export function hear(event: TaskEvent, handle: string, at: string): void {
  const known = tasks.value.get(event.task);
  const live = take(known, event, handle, at);
  if (live === null) {
    fetchSoon(event.task);
    return;
  }
  const next = new Map(tasks.value);
  next.set(event.task, live);
  tasks.value = next;
  // The copy has what events leave out, and ends the task exactly.
  if (isOver(live.task.status.state)) fetchSoon(event.task);
}

/** What was followed may have gone on unseen. */
export function forgetNumbers(): void {
  const next = new Map(tasks.value);
  for (const [id, live] of next) if (live.number !== null) next.set(id, { ...live, number: null });
  tasks.value = next;
  for (const [id, live] of next) if (!isOver(live.task.status.state)) fetchSoon(id);
}

export function fetchSoon(id: string): void {
  if (waiting.has(id)) return;
  const fetchNow = async () => {
    waiting.delete(id);
    try {
      keep([(await api.task(id)).task]);
    } catch {
      // The next event, or the next visit, asks again.
    }
  };
  waiting.set(id, window.setTimeout(fetchNow, FETCH_PAUSE_MS));
}
