// Which agent a line is for, and which could be meant while its name is typed. Pure.

import type { Agent } from "../../web/src/types";

export type Line =
  /** The name is still being typed. */
  | { step: "naming"; word: string }
  | { step: "writing"; handle: string; words: string }
  /** No such agent. */
  | { step: "unknown"; handle: string };

/** Reads `@name words`. Without a name, the words go to `usual`. */
export function readLine(line: string, handles: readonly string[], usual: string | null): Line {
  const named = /^@(\S*)(\s([\s\S]*))?$/.exec(line);
  if (!named) return usual === null ? { step: "naming", word: "" } : { step: "writing", handle: usual, words: line };
  const [, word = "", rest, words = ""] = named;
  if (rest === undefined) return { step: "naming", word };
  const handle = handles.find((name) => name.toLowerCase() === word.toLowerCase());
  return handle === undefined ? { step: "unknown", handle: word } : { step: "writing", handle, words };
}

/** Agents whose name begins with the word come first, then those that have it somewhere. */
export function offers<T extends Pick<Agent, "handle">>(agents: readonly T[], word: string): T[] {
  const wanted = word.toLowerCase();
  const at = (agent: T) => agent.handle.toLowerCase().indexOf(wanted);
  return agents.filter((agent) => at(agent) >= 0).sort((a, b) => Math.sign(at(a)) - Math.sign(at(b)));
}

/** Who is meant unless somebody else is named: the agent that works where the file is, else the one written to last. */
export function usualRecipient<T extends Pick<Agent, "handle" | "dir" | "machine">>(agents: readonly T[], file: string, last: string | undefined): T | undefined {
  const near = agents.filter((agent) => !agent.machine && file.startsWith(`${agent.dir.replace(/\/+$/, "")}/`));
  const deepest = Math.max(...near.map((agent) => agent.dir.length));
  const nearest = near.filter((agent) => agent.dir.length === deepest);
  const isLast = (agent: T) => agent.handle === last;
  return nearest.find(isLast) ?? nearest[0] ?? agents.find(isLast) ?? agents[0];
}
