// Lines of the page's own in a conversation: who answered, who stopped, what came and went. Lost on reload.

import { signal } from "@preact/signals";

/** `topic`: a later line about the same replaces it, if nothing was said in between. */
export type Note = { at: string; text: string; tone: "plain" | "good" | "bad"; topic?: string };

export const notes = signal<ReadonlyMap<string, readonly Note[]>>(new Map());

const MOST = 100;

export function note(agent: string, text: string, tone: Note["tone"] = "plain", at = new Date().toISOString()): void {
  add(agent, { at, text, tone });
}

/** Tells what is so now; what it was on the way there is not worth a line. */
export function noteLatest(agent: string, topic: string, text: string): void {
  add(agent, { at: new Date().toISOString(), text, tone: "plain", topic });
}

function add(agent: string, said: Note): void {
  const known = notes.value.get(agent) ?? [];
  const isSame = said.topic !== undefined && known[known.length - 1]?.topic === said.topic;
  notes.value = new Map(notes.value).set(agent, [...(isSame ? known.slice(0, -1) : known), said].slice(-MOST));
}
