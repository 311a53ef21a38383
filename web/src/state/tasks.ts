// The tasks the page has seen, each a signal of its own: what one of them says redraws that one alone. Events come from
// the live line; what they do not tell is fetched, once at a time.

import { batch, signal, type Signal } from "@preact/signals";
import { api } from "../api";
import type { Task, TaskEvent } from "../types";
import { fetched, isOver, isWithdrawn, take, type Live } from "./task-fold";

const known = new Map<string, Signal<Live>>();
/** Rises when a task comes, goes or has another state: that is what lists depend on. */
const shape = signal(0);

/** Tasks of agents nobody looks at are forgotten beyond this many. */
const MOST = 1_000;
/** Events of a fetched task come in bursts; one fetch answers them all. */
const FETCH_PAUSE_MS = 120;

const waiting = new Map<string, number>();
/** The agent whose conversation is shown: nothing of it is forgotten. */
let looked: string | null = null;

/** Whose conversation is shown, until what is given back is called. */
export function lookAt(agent: string): () => void {
  looked = agent;
  return () => {
    if (looked === agent) looked = null;
  };
}

/** A task as it is now. Whoever asks while drawing is drawn again when it changes. */
export function taskOf(id: string): Task | undefined {
  const live = known.get(id);
  // One that is not there yet may come.
  if (!live) void shape.value;
  return live?.value.task;
}

export function hasTask(id: string): boolean {
  return known.has(id);
}

/** All that are known, as they were when one last came, went or changed its state. */
export function allTasks(): Task[] {
  void shape.value;
  return [...known.values()].map((live) => live.peek().task);
}

/** Whether a task was for this agent. One of another name may have had its id, which stays with the folder. */
export function isOf(task: Task, agent: { id: string; handle: string }): boolean {
  return task.owner === agent.id && (task.handle ?? "").toLowerCase() === agent.handle.toLowerCase();
}

/** What was said to an agent, oldest first, without what was taken back before it ran. */
export function saidTo(agent: { id: string; handle: string }): Task[] {
  const found: Task[] = [];
  for (const task of allTasks()) {
    if (!isOf(task, agent)) continue;
    const isNothing = isWithdrawn(task);
    if (isNothing === null) fetchSoon(task.id);
    if (isNothing === false) found.push(task);
  }
  return found.sort((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id));
}

/** Takes in copies from the hub. One that is followed live is newer than any copy, unless it is over. */
export function keep(copies: readonly Task[]): void {
  batch(() => {
    for (const copy of copies) {
      const live = known.get(copy.id)?.peek();
      // Lists leave the history out; what is known of it stays true while the state is the same.
      if (!copy.history && live?.task.history && live.task.status.state === copy.status.state) copy.history = live.task.history;
      const isFollowed = live !== undefined && live.number !== null && !isOver(live.task.status.state);
      if (!isFollowed || isOver(copy.status.state)) put(fetched(copy));
    }
    let spare = known.size - MOST;
    for (const [id, live] of known) {
      if (spare <= 0) break;
      if (live.peek().task.owner === looked) continue;
      known.delete(id);
      spare -= 1;
    }
    shape.value += 1;
  });
}

export function hear(event: TaskEvent, handle: string, at: string): void {
  const before = known.get(event.task)?.peek();
  const live = take(before, event, handle, at);
  if (live === null) {
    fetchSoon(event.task);
    return;
  }
  batch(() => {
    put(live);
    if (before?.task.status.state !== live.task.status.state) shape.value += 1;
  });
  // The copy has what events leave out, and ends the task exactly.
  if (isOver(live.task.status.state)) fetchSoon(event.task);
}

/** What was followed may have gone on unseen. */
export function forgetNumbers(): void {
  for (const [id, live] of known) {
    if (live.peek().number !== null) live.value = { ...live.peek(), number: null };
    if (!isOver(live.peek().task.status.state)) fetchSoon(id);
  }
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

function put(live: Live): void {
  const there = known.get(live.task.id);
  if (there) there.value = live;
  else known.set(live.task.id, signal(live));
}
