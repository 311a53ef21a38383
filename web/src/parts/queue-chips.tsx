// Messages that wait until the agent is free: edit, remove, or stop what runs and send at once.

import { api } from "../api";
import { withdraw } from "../state/queue";
import { textOf } from "../state/task-fold";
import { keep } from "../state/tasks";
import { isReadOnly } from "../state/world";
import { t, tn } from "../text";
import type { Task } from "../types";
import { tell } from "./failure";
import { Icon } from "./icon";

type Props = { agent: string; queued: Task[]; held: string | null; onEdit: (task: Task) => void };

export function QueueChips({ agent, queued, held, onEdit }: Props) {
  if (queued.length === 0) return null;
  const edit = async (task: Task) => {
    await withdraw(task);
    onEdit(task);
  };
  // Removed first: were it sent first, it could be carried out twice.
  const sendNow = async (task: Task) => {
    await withdraw(task);
    keep([(await api.send(agent, { parts: task.message.parts, mode: "now" })).task]);
  };
  return (
    <div class="queue" role="group" aria-label={tn("count.queued", queued.length)}>
      <span class="queue-count">{tn("count.queued", queued.length)}</span>
      {held !== null && <span class="queue-held">{held}</span>}
      <ul>
        {queued.map((task) => (
          <li key={task.id} class="queue-chip">
            <span class="queue-text">{textOf(task.message.parts)}</span>
            {!isReadOnly.value && (
              <>
                <button type="button" class="chip-button strong" title={t("queue.nowHint")} onClick={() => void sendNow(task).catch(tell)}>
                  <Icon name="bolt" />
                  <span>{t("queue.now")}</span>
                </button>
                <button type="button" class="icon-button small" aria-label={t("queue.edit")} onClick={() => void edit(task).catch(tell)}>
                  <Icon name="edit" />
                </button>
                <button type="button" class="icon-button small" aria-label={t("queue.remove")} onClick={() => void withdraw(task).catch(tell)}>
                  <Icon name="close" />
                </button>
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
