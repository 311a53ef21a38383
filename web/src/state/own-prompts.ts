// Prompts of one's own, offered with the commands behind a slash. Asked for when somebody types one.

import { signal } from "@preact/signals";
import { api } from "../api";

/** By `/name`: what is put into the message bar. */
export const ownPrompts = signal<Readonly<Record<string, string>>>({});

let isAsked = false;

export function fetchPrompts(): void {
  if (isAsked) return;
  isAsked = true;
  api.prompts().then(
    ({ prompts }) => (ownPrompts.value = Object.fromEntries(prompts.map(({ name, text }) => [`/${name}`, text]))),
    () => {},
  );
  // They are files: somebody may be writing one.
  window.setTimeout(() => (isAsked = false), 3_000);
}
