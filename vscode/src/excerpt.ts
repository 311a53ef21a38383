// What an agent is sent of a file: where it stands, and the lines themselves. Pure.

export type Excerpt = {
  path: string;
  language: string;
  /** Counted from 1, both ends included. */
  from: number;
  to: number;
  text: string;
};

export type WholeFile = {
  path: string;
  language: string;
  lines: number;
  /** What is in the editor, for an agent whose disk does not have it. */
  text: string | null;
};

/** A path as the agent would write it: below its own folder without that, else whole. */
export function pathFor(agentDir: string, path: string): string {
  const dir = agentDir.replace(/\/+$/, "");
  return path.startsWith(`${dir}/`) ? path.slice(dir.length + 1) : path;
}

export function excerptText(excerpt: Excerpt): string {
  const lines = excerpt.from === excerpt.to ? `line ${excerpt.from}` : `lines ${excerpt.from}-${excerpt.to}`;
  return `${excerpt.path}, ${lines}:\n${fenced(excerpt.text, excerpt.language)}`;
}

/** The agent reads a file itself; only what is not on disk is sent along. */
export function fileText(file: WholeFile): string {
  const lines = file.lines === 1 ? "1 line" : `${file.lines} lines`;
  if (file.text === null) return `${file.path} (${lines})`;
  return `${file.path} (${lines}), as it is in the editor:\n${fenced(file.text, file.language)}`;
}

export function messageOf(words: string, pieces: readonly string[]): string {
  return [words.trim(), ...pieces].filter((piece) => piece !== "").join("\n\n");
}

/** A fence that nothing inside can close. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}
