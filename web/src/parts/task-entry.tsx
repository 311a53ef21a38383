// One exchange of a conversation: what was asked, what came back, and how it ended.

import type { Links } from "../state/route";
import { isInterrupted, isOver, otherAgent, textOf } from "../state/task-fold";
import { t } from "../text";
import type { Task } from "../types";
import { ArtifactView, ErrorCard } from "./artifact-view";
import { PlainText } from "./plain-text";
import { retryOf } from "./retry";
import { ClockTime } from "./since";
import { TaskChip } from "./task-chip";

export function TaskEntry({ task, handle, links }: { task: Task; handle: string; links: Links | null }) {
  const { state, error } = task.status;
  const other = otherAgent(task);
  return (
    <article class="entry" data-task={task.id} data-state={state} aria-label={t("entry.label", { name: handle })}>
      <div class={`asked${other === null ? "" : " from-agent"}`}>
        <div class="entry-head">
          {other !== null && (
            <span class="route-chip">
              @{other} → @{handle}
            </span>
          )}
          <ClockTime at={task.created_at} />
          <TaskChip task={task} />
        </div>
        <p class="bubble">
          <PlainText text={textOf(task.message.parts)} />
        </p>
      </div>
      {task.artifacts.length > 0 && (
        <div class="reply">
          {task.artifacts.map((artifact, index) => (
            <ArtifactView key={index} artifact={artifact} before={task.artifacts[index - 1]} links={links} />
          ))}
        </div>
      )}
      {task.truncated && <p class="system-line">{t("task.truncated")}</p>}
      {state === "failed" && !isInterrupted(task) && <ErrorCard code={error?.code ?? ""} text={error?.message ?? t("task.failed")} onRetry={retryOf(task)} />}
      {(state === "canceled" || state === "rejected" || isInterrupted(task)) && <p class="system-line">{endLine(task)}</p>}
      {!isOver(state) && state === "working" && task.artifacts.length === 0 && (
        <p class="typing" aria-label={t("status.working")}>
          <span />
          <span />
          <span />
        </p>
      )}
    </article>
  );
}

function endLine(task: Task): string {
  if (isInterrupted(task)) return t("task.interrupted");
  const reason = typeof task.status.message === "string" ? task.status.message : "";
  const word = t(`task.${task.status.state as "canceled" | "rejected"}`);
  return reason === "" ? word : `${word}: ${reason}`;
}
