// Which agents finished something nobody looked at.

import { signal } from "@preact/signals";
import { load, save } from "./prefs";

const KEY = "synapse.unread";

export const unread = signal<ReadonlySet<string>>(new Set(load<string[]>(KEY, [])));

export function markUnread(agent: string): void {
  if (unread.value.has(agent)) return;
  unread.value = new Set(unread.value).add(agent);
  save(KEY, [...unread.value]);
}

export function markRead(agent: string): void {
  if (!unread.value.has(agent)) return;
  const next = new Set(unread.value);
  next.delete(agent);
  unread.value = next;
  save(KEY, [...next]);
}
