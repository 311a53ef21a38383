// Which file a block of code is of, where the reply says so. Pure: nobody has looked whether it is there.

import type { Artifact } from "../types";
import { textOf } from "./task-fold";

/** A name with an ending, behind any folders. */
const PATH = /^(?:~?\.{0,2}\/)?(?:[\w@.+-]+\/)*[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,9}$/;
/** A first line that is a comment and nothing but a name. */
const HEADLINE = /^\s*(?:\/\/|#|--|;+|%|\/\*+|<!--)\s*(\S+?)\s*(?:\*\/|-->)?\s*$/;
const QUOTED = /`([^`\s]+)`/g;

export function pathOfCode(code: Artifact, before: Artifact | undefined): string | null {
  const told = code.metadata?.path;
  if (told) return told;
  const first = HEADLINE.exec(textOf(code.parts ?? []).split("\n", 1)[0] ?? "")?.[1];
  if (first && PATH.test(first)) return first;
  if (before?.type === "file") return before.metadata?.path ?? null;
  return before?.type === "text" ? named(textOf(before.parts ?? [])) : null;
}

/** The one file that the last line before the block names, if that line leads over to it. */
function named(prose: string): string | null {
  const last = prose.trimEnd().split("\n").pop() ?? "";
  const quoted = [...last.matchAll(QUOTED)].map((match) => match[1] ?? "");
  const bare = last.split(/\s+/).map((word) => word.replace(/^[*_("]+|[*_)":,.]+$/g, "")).filter((word) => word.includes("/"));
  const paths = [...new Set([...quoted, ...bare])].map(withoutLine).filter((word) => PATH.test(word));
  return /[:：]\s*\**$/.test(last) && paths.length === 1 ? (paths[0] ?? null) : null;
}

/** `src/main.rs:12:5` is the file `src/main.rs`. */
export function withoutLine(path: string): string {
  return path.replace(/(:\d+){1,2}$/, "");
}
