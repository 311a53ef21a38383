// What each agent did last, for lists: known from the live line, or fetched for those who finished before the page was
// opened.

import { computed } from "@preact/signals";
import { api } from "../api";
import type { Task } from "../types";
import { replyText } from "./reply-text";
import { isOver } from "./task-fold";
import { allTasks, keep } from "./tasks";

/** By agent, the task that ended last. */
export const lastTasks = computed(() => {
  const last = new Map<string, Task>();
  for (const task of allTasks()) {
    const known = last.get(task.owner);
    if (isOver(task.status.state) && task.status.state !== "canceled" && (!known || known.updated_at < task.updated_at)) last.set(task.owner, task);
  }
  return last;
});

/** So many are asked for at a time. */
const AT_ONCE = 3;
const asked = new Set<string>();
const line: string[] = [];
let running = 0;

/** Fetches what an agent did last, once. */
export function fetchLast(agent: string): void {
  if (asked.has(agent)) return;
  asked.add(agent);
  line.push(agent);
  next();
}

function next(): void {
  const agent = running < AT_ONCE ? line.shift() : undefined;
  if (agent === undefined) return;
  running += 1;
  api
    .messages(agent, null, 1)
    .then(({ tasks: found }) => keep(found), () => asked.delete(agent))
    .finally(() => {
      running -= 1;
      next();
    });
}

const LONGEST = 200;

/** The first line of a reply that says something, without the marks of Markdown. */
export function firstWords(task: Task): string {
  const lines = replyText(task).slice(0, 20 * LONGEST).split("\n");
  const line = lines.find((one) => /[\p{L}\p{N}]/u.test(one) && !/^\s*(```|~~~)/.test(one)) ?? "";
  return line
    .replace(/^[\s>#*+-]+/, "")
    .replace(/[*`]|__|~~/g, "")
    .trim()
    .slice(0, LONGEST);
}
