// What can be done with a message that was sent: send it again, edit it first, point others to it. Seen by whoever
// points at the message, comes to it by key, or asks for it; then with words.

import { useState } from "preact/hooks";
import { agentUrl, taskUrl } from "../state/route";
import { textOf } from "../state/task-fold";
import { t } from "../text";
import type { Task } from "../types";
import { CopyIcon } from "./copy-button";
import { Icon } from "./icon";
import { retryOf } from "./retry";

/** `onEdit` puts a text into the message bar, where there is one. */
export function MessageActs({ task, onEdit }: { task: Task; onEdit: ((text: string) => void) | undefined }) {
  const [isOpen, setIsOpen] = useState(false);
  const again = retryOf(task);
  const edit = again && onEdit;
  return (
    <div class={`entry-acts message-acts${isOpen ? " is-open" : ""}`} role="group" aria-label={t("entry.acts")}>
      <span class="asked-for">
        {again && (
          <button type="button" class="icon-button small" aria-label={t("entry.again")} title={t("entry.again")} onClick={again}>
            <Icon name="again" />
            {isOpen && <span>{t("entry.again")}</span>}
          </button>
        )}
        {edit && (
          <button type="button" class="icon-button small" aria-label={t("entry.edit")} title={t("entry.edit")} onClick={() => edit(textOf(task.message.parts))}>
            <Icon name="edit" />
            {isOpen && <span>{t("entry.edit")}</span>}
          </button>
        )}
        <CopyIcon label={t("entry.link")} done={t("entry.linkCopied")} icon="link" text={() => location.origin + agentUrl(task.owner, { message: task.id })} hasWord={isOpen} />
        <a class="icon-button small" href={taskUrl(task.id)} aria-label={t("entry.details")} title={t("entry.details")}>
          <Icon name="chevron" />
          {isOpen && <span>{t("entry.details")}</span>}
        </a>
      </span>
      <button type="button" class="icon-button small" aria-label={t("entry.more")} title={t("entry.more")} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <Icon name="more" />
      </button>
    </div>
  );
}
