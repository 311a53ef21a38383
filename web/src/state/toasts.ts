// Short messages at the edge of the page. Those that offer something to do stay longer.

import { signal } from "@preact/signals";

export type ToastAct = { label: string; run: () => void };
export type Toast = {
  id: number;
  /** The agent it is about: seeing that one makes it superfluous. */
  about: string | null;
  tone: "good" | "plain" | "bad";
  text: string;
  acts: ToastAct[];
};

export const toasts = signal<readonly Toast[]>([]);
/** What the live region says aloud. */
export const announcement = signal("");

const PLAIN_MS = 5_000;
const WITH_ACTS_MS = 20_000;
const MOST = 4;
let last = 0;

export function toast(tone: Toast["tone"], text: string, acts: ToastAct[] = [], about: string | null = null): void {
  last += 1;
  const id = last;
  const others = toasts.value.filter((other) => other.text !== text);
  toasts.value = [...others, { id, tone, text, acts, about }].slice(-MOST);
  window.setTimeout(() => dismiss(id), acts.length > 0 || tone === "bad" ? WITH_ACTS_MS : PLAIN_MS);
  announce(text);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function dismissAbout(agent: string): void {
  if (toasts.value.some((toast) => toast.about === agent)) toasts.value = toasts.value.filter((toast) => toast.about !== agent);
}

export function announce(text: string): void {
  announcement.value = text;
}
