// What was typed for an agent and not sent yet, kept over reloads.

import { load, save } from "./prefs";

const KEY = "synapse.drafts";
const MOST = 50;

const drafts = new Map<string, string>(Object.entries(load<Record<string, string>>(KEY, {})));

export function draftOf(agent: string): string {
  return drafts.get(agent) ?? "";
}

export function keepDraft(agent: string, text: string): void {
  drafts.delete(agent);
  if (text !== "") drafts.set(agent, text);
  const oldest = drafts.keys().next().value;
  if (drafts.size > MOST && oldest !== undefined) drafts.delete(oldest);
  save(KEY, Object.fromEntries(drafts));
}
