// What is sent when a person picks an option, and which option is the default. Pure.

import type { Prompt } from "../types";

/** The label says best what was meant; where two are alike, the number tells them apart. */
export function valueOf(prompt: Prompt, index: number): string {
  const label = prompt.options[index]?.label ?? "";
  const isUnique = prompt.options.filter((option) => option.label === label).length === 1;
  return label !== "" && isUnique && !/^\d+$/.test(label) ? label : String(index + 1);
}

export function isDefault(prompt: Prompt, index: number): boolean {
  if (typeof prompt.default === "number") return prompt.default === index;
  if (typeof prompt.default !== "string") return prompt.selected === index;
  const option = prompt.options[index];
  const wanted = prompt.default.toLowerCase();
  return option !== undefined && [option.label.toLowerCase(), option.key.toLowerCase()].includes(wanted);
}

/** A bare letter says less than the word it stands for. */
export function wordOf(label: string): "option.yes" | "option.no" | null {
  if (/^y(es)?$/i.test(label)) return "option.yes";
  return /^no?$/i.test(label) ? "option.no" : null;
}

/** The question without the letters that its buttons offer. */
export function questionOf(prompt: Prompt): string {
  return prompt.options.length === 0 ? prompt.question.trim() : withoutLetters(prompt.question);
}

export function withoutLetters(question: string): string {
  return question.trim().replace(/\s*[[(]\s*y(es)?\s*\/\s*no?\s*[\])]\s*:?$/i, "");
}

/** Whether any words may be the answer. */
export function takesText(prompt: Prompt): boolean {
  return prompt.kind === "text" || prompt.kind === "password" || prompt.kind === "unknown" || prompt.options.length === 0;
}

/** Whether the question must be worked by single keys, since nobody knows what it offers. */
export function wantsKeys(prompt: Prompt): boolean {
  return prompt.kind === "unknown" || (prompt.kind === "selection" && prompt.options.length === 0);
}
