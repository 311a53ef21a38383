// A reply as the agent wrote it, for those who want to copy it or see its source. Pure.

import type { Artifact, Task } from "../types";
import { textOf } from "./task-fold";

/** What was kept of it word for word, or its pieces put together again while it is still growing. */
export function replyText(task: Pick<Task, "reply" | "artifacts">): string {
  return task.reply ?? task.artifacts.map(sourceOf).join("\n\n");
}

function sourceOf(artifact: Artifact): string {
  const text = textOf(artifact.parts ?? []);
  if (artifact.type === "code") return `\`\`\`${artifact.metadata?.language ?? ""}\n${text}\n\`\`\``;
  if (artifact.type === "file") return artifact.metadata?.path ?? artifact.name ?? text;
  const data = artifact.parts?.find((part) => part.data !== undefined)?.data;
  return artifact.type === "data" && data !== undefined ? JSON.stringify(data, null, 2) : text;
}
