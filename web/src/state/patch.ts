// A unified diff as rows with line numbers. Pure.

export type Row = { kind: "hunk" | "add" | "del" | "same" | "note"; old: number | null; new: number | null; text: string };

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export function rows(patch: string): Row[] {
  const found: Row[] = [];
  let oldLine = 0;
  let newLine = 0;
  const lines = patch.split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  for (const line of lines) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      oldLine = Number(hunk[1]);
      newLine = Number(hunk[2]);
      found.push({ kind: "hunk", old: null, new: null, text: line });
    } else if (line.startsWith("+")) found.push({ kind: "add", old: null, new: newLine++, text: line.slice(1) });
    else if (line.startsWith("-")) found.push({ kind: "del", old: oldLine++, new: null, text: line.slice(1) });
    else if (line.startsWith("\\")) found.push({ kind: "note", old: null, new: null, text: line });
    else found.push({ kind: "same", old: oldLine++, new: newLine++, text: line.slice(1) });
  }
  return found;
}

/** The lines of a file as they are. */
export function linesAsRows(text: string): Row[] {
  return text.replace(/\n$/, "").split("\n").map((line, index) => ({ kind: "same", old: null, new: index + 1, text: line }));
}

/** One side of a diff as text, a line for each row: those of the other side are empty. */
export function sideOf(all: readonly Row[], leftOut: "add" | "del"): string {
  return all.map((row) => (row.kind === leftOut || row.kind === "hunk" || row.kind === "note" ? "" : row.text)).join("\n");
}

/** Whether a code block is itself a diff. */
export function looksLikeDiff(language: string, text: string): boolean {
  return language === "diff" || language === "patch" || (language === "text" && /^@@ -\d+/m.test(text));
}
