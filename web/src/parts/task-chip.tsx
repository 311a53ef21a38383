// A task's state as a small link to it.

import { taskUrl } from "../state/route";
import { isInterrupted } from "../state/task-fold";
import { t } from "../text";
import type { Task, TaskState } from "../types";

export function TaskChip({ task }: { task: Task }) {
  const state = isInterrupted(task) ? "canceled" : task.status.state;
  const word = isInterrupted(task) ? t("task.interrupted") : t(`task.${task.status.state}`);
  return (
    <a class={`task-chip task-${state}`} href={taskUrl(task.id)}>
      {word}
    </a>
  );
}

/** In a list only what is not done is worth a word. */
export function OpenState({ state }: { state: TaskState }) {
  return state === "completed" ? null : <StateWord state={state} />;
}

export function StateWord({ state }: { state: TaskState }) {
  return <span class={`task-chip task-${state}`}>{t(`task.${state}`)}</span>;
}
