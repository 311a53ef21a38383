// The first thing a new agent is to do.

import { useRef } from "preact/hooks";
import { api } from "../api";
import { keep } from "../state/tasks";
import { t } from "../text";
import type { Agent } from "../types";
import { tell } from "./failure";
import { fieldIn } from "./form-dialog";

export function FirstTask({ onWritten }: { onWritten?: (text: string) => void }) {
  return (
    <label>
      <span>{t("new.task")}</span>
      <textarea name="task" rows={3} placeholder={t("new.taskHint")} onInput={(event) => onWritten?.(event.currentTarget.value)} />
    </label>
  );
}

/** A field, and what puts into it the name that a task suggests, as long as nobody gave another. */
export function useSuggestion(nameOf: (task: string) => string) {
  const field = useRef<HTMLInputElement>(null);
  const suggested = useRef("");
  const suggest = (task: string) => {
    if (!field.current || field.current.value !== suggested.current) return;
    suggested.current = nameOf(task);
    field.current.value = suggested.current;
  };
  return { field, suggest };
}

/** The agent is there; a message that cannot be sent is told, and no reason to keep the form open. */
export async function sendFirst(agent: Agent, said: FormData): Promise<void> {
  const text = fieldIn(said, "task");
  if (text !== "") await api.send(agent.id, { text, mode: "queue" }).then(({ task }) => keep([task]), tell);
}
