// Lines of the page's own in a conversation: who answered, who stopped, what came and went. Lost on reload.

import { signal } from "@preact/signals";

export type Note = { at: string; text: string; tone: "plain" | "good" | "bad" };

export const notes = signal<ReadonlyMap<string, readonly Note[]>>(new Map());

const MOST = 100;

export function note(agent: string, text: string, tone: Note["tone"] = "plain", at = new Date().toISOString()): void {
  const next = new Map(notes.value);
  next.set(agent, [...(next.get(agent) ?? []), { at, text, tone }].slice(-MOST));
  notes.value = next;
}
