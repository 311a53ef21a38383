// The steps of a turn as the page lists them. Pure.

import type { Step } from "../types";

/** One line: a step, or several reads in a row that all went well. */
export type StepLine = { kind: "one"; step: Step } | { kind: "reads"; steps: Step[] };

export function linesOf(steps: readonly Step[]): StepLine[] {
  const lines: StepLine[] = [];
  for (const step of steps) {
    const last = lines[lines.length - 1];
    const isRead = step.kind === "read" && step.state === "ok";
    if (isRead && last?.kind === "reads") last.steps.push(step);
    else if (isRead && last?.kind === "one" && last.step.kind === "read" && last.step.state === "ok") lines[lines.length - 1] = { kind: "reads", steps: [last.step, step] };
    else lines.push({ kind: "one", step });
  }
  return lines;
}

/** The first line of a thought, short enough for one row. */
export function thoughtTitle(text: string): string {
  const [first = ""] = text.split("\n", 1);
  return first.length > 90 ? `${first.slice(0, 90)}…` : first;
}

/** What all of them changed. */
export function changedBy(steps: readonly Step[]): { added: number; removed: number; files: number } {
  const edits = steps.flatMap((step) => (step.edit && step.state === "ok" ? [step.edit] : []));
  const sum = (of: (edit: (typeof edits)[number]) => number) => edits.reduce((all, edit) => all + of(edit), 0);
  return { added: sum((edit) => edit.added), removed: sum((edit) => edit.removed), files: new Set(edits.map(({ path }) => path)).size };
}

/** Milliseconds as `0.3 s` or `2 min 5 s`. */
export function took(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 9_950 ? 1 : 0)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
