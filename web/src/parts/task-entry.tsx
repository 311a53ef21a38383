// One exchange of a conversation: what was asked, what came back, and how it ended.

import { usesOf } from "../state/auto-answer";
import { agentUrl, type Links } from "../state/route";
import { isInterrupted, isOver, otherAgent } from "../state/task-fold";
import { taskOf } from "../state/tasks";
import { agentById, isMe } from "../state/world";
import { t } from "../text";
import type { Act, Task } from "../types";
import { ErrorCard } from "./error-card";
import { lazy } from "./lazy";
import { MessageActs } from "./message-acts";
import { Reply } from "./reply";
import { retryOf } from "./retry";
import { SentMessage } from "./sent-message";
import { ClockTime } from "./since";
import { StepList } from "./step-list";
import { TaskChip } from "./task-chip";

type Props = { id: string; handle: string; links: Links | null; isMeant: boolean; onEdit: ((text: string) => void) | undefined };

const TurnUsageLine = lazy(() => import("../screens/later").then((file) => file.TurnUsageLine), true);

/** An answer is noted by the agent and by the hub within this time. */
const SAME_MS = 5_000;

/** `isMeant`: the address of the page names this one. */
export function TaskEntry({ id, handle, links, isMeant, onEdit }: Props) {
  const task = taskOf(id);
  if (!task) return null;
  const { state, error } = task.status;
  const other = otherAgent(task);
  const { steps = [] } = task;
  // The agent tells it of the turn at hand; the store has that of those before.
  const told = agentById(task.owner)?.usage;
  const usage = told?.task === id ? told : task.usage;
  const acts = (task.acts ?? []).filter((act) => act.rule === undefined || !isInUses(task, act));
  return (
    <article class={`entry${isMeant ? " is-meant" : ""}`} tabIndex={-1} data-task={task.id} data-state={state} aria-label={t("entry.label", { name: handle })}>
      <div class={`asked${other === null ? "" : " from-agent"}`}>
        <div class="entry-head">
          {other !== null && (
            <span class="route-chip">
              @{other} → @{handle}
            </span>
          )}
          <MessageActs task={task} onEdit={onEdit} />
          <ClockTime at={task.created_at} />
          {state !== "completed" && <TaskChip task={task} />}
        </div>
        <SentMessage parts={task.message.parts} />
      </div>
      {steps.length > 0 && <StepList steps={steps} isLive={!isOver(state)} />}
      {acts.map((act) => (
        <p key={act.at} class={`system-line tone-${act.what === "answered" ? "good" : "plain"}`}>
          {actLine(act)} · <ClockTime at={act.at} />
        </p>
      ))}
      <Reply task={task} links={links} />
      {usage && <TurnUsageLine usage={usage} />}
      {task.truncated && <p class="system-line">{t("task.truncated")}</p>}
      {state === "failed" && !isInterrupted(task) && <ErrorCard code={error?.code ?? ""} text={error?.message ?? t("task.failed")} onRetry={retryOf(task)} />}
      {(state === "canceled" || state === "rejected" || (isInterrupted(task) && !acts.some(({ what }) => what === "stopped"))) && <p class="system-line">{endLine(task)}</p>}
      {state === "working" && task.artifacts.length === 0 && steps.length === 0 && <Working agent={task.agent} />}
    </article>
  );
}

/** At work, and nothing is known of it yet; of some programs it never is. */
function Working({ agent }: { agent: string | null }) {
  const known = agent === null ? undefined : agentById(agent);
  return (
    <div class="working">
      <p class="typing" aria-label={t("status.working")}>
        <span />
        <span />
        <span />
      </p>
      {known && known.steps_from === null && (
        <a class="step-note" href={agentUrl(known.id, { tab: "terminal" })}>
          {t("steps.onScreen")}
        </a>
      )}
    </div>
  );
}

/** What a rule answered is told with its question by the list of uses, as long as that has it. */
function isInUses(task: Task, act: Act): boolean {
  return usesOf(task.owner).some((used) => Math.abs(Date.parse(used.at) - Date.parse(act.at)) < SAME_MS);
}

/** Who did what to the agent, in the words of the buttons. */
function actLine(act: Act): string {
  const value = act.value || "••••";
  if (act.rule !== undefined) return t("note.byRule", { value });
  const by = act.by === undefined ? t("act.somebody") : isMe(act.by) ? t("answer.you") : act.by;
  return act.what === "answered" ? t("note.answered", { value, by }) : t("note.stoppedBy", { by });
}

function endLine(task: Task): string {
  if (isInterrupted(task)) return t("task.interrupted");
  const reason = typeof task.status.message === "string" ? task.status.message : "";
  const word = t(`task.${task.status.state as "canceled" | "rejected"}`);
  // "canceled: canceled on request" says the same twice.
  return reason === "" || reason.startsWith(word) ? word : `${word}: ${reason}`;
}
