// Comments on changed lines, collected until they are sent to the agent as one message. Kept over reloads.

import { signal } from "@preact/signals";
import { load, save } from "./prefs";

export type Remark = { path: string; line: number; isOld: boolean; code: string; text: string };

const KEY = "synapse.review";

const all = signal<Record<string, readonly Remark[]>>(load(KEY, {}));

export function remarksOn(worktree: string): readonly Remark[] {
  return all.value[worktree] ?? [];
}

function put(worktree: string, remarks: readonly Remark[]): void {
  const { [worktree]: _, ...others } = all.value;
  all.value = remarks.length === 0 ? others : { ...others, [worktree]: remarks };
  save(KEY, all.value);
}

export function addRemark(worktree: string, remark: Remark): void {
  put(worktree, [...remarksOn(worktree), remark]);
}

export function removeRemark(worktree: string, remark: Remark): void {
  put(worktree, remarksOn(worktree).filter((one) => one !== remark));
}

export function clearRemarks(worktree: string): void {
  put(worktree, []);
}

/** One message: for each comment its place, the line it is about, and what is said of it. */
export function messageOf(head: string, remarks: readonly Remark[]): string {
  const inOrder = [...remarks].sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
  const pieces = inOrder.map(({ path, line, isOld, code, text }) => `${path}:${line}${isOld ? " (removed)" : ""}\n> ${code}\n${text}`);
  return [head, ...pieces].join("\n\n");
}
