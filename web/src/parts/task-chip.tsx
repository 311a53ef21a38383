// A task's state as a small link to it.

import { taskUrl } from "../state/route";
import { t } from "../text";
import type { Task, TaskState } from "../types";

export function TaskChip({ task }: { task: Task }) {
  return (
    <a class={`task-chip task-${task.status.state}`} href={taskUrl(task.id)}>
      {t(`task.${task.status.state}`)}
    </a>
  );
}

export function StateWord({ state }: { state: TaskState }) {
  return <span class={`task-chip task-${state}`}>{t(`task.${state}`)}</span>;
}
