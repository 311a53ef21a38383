// What needs a person, counted alike wherever it is counted: open questions, agents that do not answer or died, and tasks that
// failed and that nobody has looked at.

import { computed, signal } from "@preact/signals";
import { api } from "../api";
import type { Task } from "../types";
import { load, save } from "./prefs";
import { isInterrupted } from "./task-fold";
import { allTasks } from "./tasks";
import { agents, waiting, world } from "./world";

const DONE_KEY = "synapse.inbox.done";
const MOST_DONE = 500;
const MOST_FETCHED = 20;

const done = signal<ReadonlySet<string>>(new Set(load<string[]>(DONE_KEY, [])));
/** Those that failed before the page was opened. */
const fetched = signal<readonly Task[]>([]);

export function fetchFailures(): void {
  api.tasks({ state: "failed", limit: MOST_FETCHED }).then(
    ({ tasks: found }) => (fetched.value = found),
    // The next hello asks again.
    () => {},
  );
}

export function clearFailures(ids: readonly string[]): void {
  done.value = new Set([...done.value, ...ids]);
  save(DONE_KEY, [...done.value].slice(-MOST_DONE));
}

/** The oldest first. */
export const asking = computed(() => [...waiting.value].sort((a, b) => a.since.localeCompare(b.since)));
export const lost = computed(() => agents.value.filter((agent) => agent.status === "failed"));
export const died = computed(() => world.value.deaths);
export const failed = computed(() => {
  const all = new Map(fetched.value.map((task) => [task.id, task]));
  for (const task of allTasks()) if (task.status.state === "failed") all.set(task.id, task);
  return [...all.values()].filter((task) => !done.value.has(task.id) && !isInterrupted(task)).sort((a, b) => a.updated_at.localeCompare(b.updated_at));
});
export const inboxCount = computed(() => asking.value.length + lost.value.length + died.value.length + failed.value.length);
