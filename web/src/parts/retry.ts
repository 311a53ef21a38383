// The same message once more, for one that failed.

import { api } from "../api";
import { keep } from "../state/tasks";
import { toast } from "../state/toasts";
import { isReadOnly } from "../state/world";
import { t } from "../text";
import type { Task } from "../types";
import { tell } from "./failure";

/** Nothing where nobody is there to take it. */
export function retryOf(task: Task): (() => void) | undefined {
  const { agent } = task;
  if (agent === null || isReadOnly.value) return undefined;
  return () => {
    api.send(agent, { parts: task.message.parts, mode: "queue" }).then((sent) => {
      keep([sent.task]);
      toast("good", t("bar.sentTo", { name: task.handle ?? agent }));
    }, tell);
  };
}
