// Messages that wait until an agent is free, in the order in which they will run.

import { api } from "../api";
import type { Task } from "../types";
import { otherAgent } from "./task-fold";
import { keep, taskOf } from "./tasks";

/** Takes a message out of the queue. */
export async function withdraw(task: Task): Promise<void> {
  keep([(await api.cancel(task.id)).task]);
}

/** The messages of people that wait behind one. */
export function behind(queued: readonly Task[], task: Task): string[] {
  const at = queued.findIndex((one) => one.id === task.id);
  return queued.slice(at + 1).filter((one) => otherAgent(one) === null).map((one) => one.id);
}

/** Lets messages wait again behind what was just sent. Each is withdrawn first: were it sent first, it could be carried
 *  out twice; and one that has begun meanwhile stays where it is. */
export async function lineUp(agent: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const task = taskOf(id);
    if (task?.status.state !== "submitted") continue;
    const { task: ended } = await api.cancel(id);
    keep([ended]);
    if (ended.status.state !== "canceled") continue;
    keep([(await api.send(agent, { parts: task.message.parts, mode: "queue", priority: task.priority })).task]);
  }
}
