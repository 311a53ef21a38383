// Comments on lines of a worktree, collected until they are sent as one message. They survive a reload of the page.

import { signal } from "@preact/signals";
import { load, save } from "./prefs";

/** `isOld`: the line is one that was taken away, with the number it had. `last`: where the commented lines end. */
export type Remark = { path: string; line: number; last?: number; isOld: boolean; code: string; text: string };

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

/** One message: for each comment its place, the lines it is about, and what is said of them. */
export function messageOf(head: string, remarks: readonly Remark[]): string {
  const inOrder = [...remarks].sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
  const pieces = inOrder.map((remark) => {
    const quoted = remark.code.split("\n").map((line) => `> ${line}`);
    return [`${remark.path}:${placeOf(remark)}${remark.isOld ? " (removed)" : ""}`, ...quoted, remark.text].join("\n");
  });
  return [head, ...pieces].join("\n\n");
}

/** `3` or `3-5`. */
export function placeOf({ line, last = line }: Pick<Remark, "line" | "last">): string {
  return last > line ? `${line}-${last}` : String(line);
}
