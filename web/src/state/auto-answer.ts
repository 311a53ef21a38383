// What rules answer instead of people, as the hub knows it: fetched when it says that something changed.

import { signal } from "@preact/signals";
import { api } from "../api";
import { t } from "../text";
import type { AutoAnswer, Used } from "../types";
import type { Note } from "./notes";
import { withoutLetters, wordOf } from "./prompt-answer";

export const autoAnswer = signal<AutoAnswer | null>(null);

export function fetchAutoAnswer(): void {
  api.autoAnswer().then(
    (found) => (autoAnswer.value = found),
    // The next change, or the next hello, asks again.
    () => {},
  );
}

/** What was answered for an agent, the latest first. */
export function usesOf(agent: string): Used[] {
  return autoAnswer.value?.used.filter((used) => used.agent === agent.split("~")[0]) ?? [];
}

/** The same as lines of its conversation. */
export function autoNotes(agent: string): Note[] {
  return usesOf(agent).map((used) => ({ at: used.at, text: t("note.autoAnswered", { value: chosenIn(used), question: aboutOf(used) }), tone: "plain" }));
}

/** What a question was about, in a line: the command, where the dialog names one. */
export function aboutOf(used: Used): string {
  return [withoutLetters(used.question), ...used.detail.split("\n").map((row) => row.trim())].filter((text) => text !== "").join(" · ");
}

/** The option as its button is called. */
export function chosenIn(used: Used): string {
  const word = wordOf(used.value);
  return word ? t(word) : used.value;
}
