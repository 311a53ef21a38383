// Markdown as blocks, and the text of a block as pieces. Pure, and never HTML: what is not understood stays text.
// Line breaks are kept as they are, since much of what agents say was written for a terminal.

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong" | "em" | "del"; inner: Inline[] }
  /** `target` is what the author wrote; whoever shows it decides whether it may be followed. */
  | { kind: "link"; target: string; inner: Inline[]; source: string };

export type Align = "left" | "center" | "right" | null;
export type Item = { isDone: boolean | null; blocks: Block[] };
export type Block =
  | { kind: "heading"; level: number; text: string }
  | { kind: "paragraph"; text: string }
  /** Columns or drawings that only a fixed width keeps in place. */
  | { kind: "fixed"; text: string }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "list"; start: number | null; items: Item[] }
  | { kind: "table"; head: string[]; align: Align[]; rows: string[][] }
  | { kind: "code"; language: string; text: string }
  | { kind: "rule" };

/** Deeper quotes and lists are shown as they are written. */
const DEEPEST = 8;
/** Longer blocks become several, so that none is too large to be drawn at once. */
const MOST_ROWS = 200;
const MOST_LETTERS = 16_000;

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})\s+(\S.*)$/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)([-*+]|\d{1,4}[.)])( +)(\S.*)$/;
const DELIMITERS = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/;
const DONE = /^\[([ xX])\]\s+/;

export function blocksOf(text: string): Block[] {
  return parse(text.replace(/\t/g, "    ").split("\n"), 0);
}

function parse(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    if (line.trim() === "") {
      at += 1;
      continue;
    }
    const [block, next] = special(lines, at, depth) ?? paragraph(lines, at, depth);
    blocks.push(...(Array.isArray(block) ? block : [block]));
    at = next;
  }
  return blocks;
}

type Found = [Block | Block[], number];

/** The block that begins here, if it is anything but a paragraph. */
function special(lines: readonly string[], at: number, depth: number): Found | null {
  const line = lines[at] ?? "";
  const fence = FENCE.exec(line);
  if (fence) return code(lines, at, fence[1] ?? "```", fence[2] ?? "");
  const heading = HEADING.exec(line);
  if (heading) return [{ kind: "heading", level: heading[1]?.length ?? 1, text: (heading[2] ?? "").trimEnd().replace(/ #+$/, "") }, at + 1];
  if (RULE.test(line)) return [{ kind: "rule" }, at + 1];
  if (isTable(lines, at)) return table(lines, at);
  if (depth >= DEEPEST) return null;
  if (QUOTE.test(line)) return quote(lines, at, depth);
  return ITEM.test(line) ? list(lines, at, depth) : null;
}

function paragraph(lines: readonly string[], at: number, depth: number): Found {
  let end = at + 1;
  while (end < lines.length && end - at < MOST_ROWS && (lines[end] ?? "").trim() !== "" && !interrupts(lines, end, depth)) end += 1;
  const rows = lines.slice(at, end);
  const kind = isFixed(rows) ? "fixed" : "paragraph";
  return [pieces(rows.join("\n")).map((text) => ({ kind, text })), end];
}

/** A text of endless lines, cut between words where there are any. */
function pieces(text: string): string[] {
  const found: string[] = [];
  let rest = text;
  while (rest.length > MOST_LETTERS) {
    const space = rest.lastIndexOf(" ", MOST_LETTERS);
    const cut = space > 0 ? space + 1 : MOST_LETTERS;
    found.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...found, rest];
}

/** A number in the middle of a sentence begins no list, unless it is the first. */
function interrupts(lines: readonly string[], at: number, depth: number): boolean {
  const line = lines[at] ?? "";
  const item = ITEM.exec(line);
  if (item) return depth < DEEPEST && (!/\d/.test(item[2] ?? "") || /^1[.)]/.test(item[2] ?? ""));
  return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || (depth < DEEPEST && QUOTE.test(line)) || isTable(lines, at);
}

/** Rows with a drawn frame, or with wide gaps between words, mean what they mean in columns only. */
function isFixed(rows: readonly string[]): boolean {
  if (rows.some((row) => /[\u2500-\u259f]/.test(row))) return true;
  return rows.length > 1 && rows.filter((row) => /\S {3,}\S/.test(row)).length > 1;
}

function code(lines: readonly string[], at: number, mark: string, info: string): Found {
  const closing = new RegExp(`^ {0,3}${mark[0] === "~" ? "~" : "`"}{${mark.length},}\\s*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end] ?? "")) end += 1;
  const language = info.trim().split(/\s/, 1)[0] ?? "";
  return [{ kind: "code", language, text: lines.slice(at + 1, end).join("\n") }, end + 1];
}

function quote(lines: readonly string[], at: number, depth: number): Found {
  let end = at;
  while (end < lines.length && end - at < MOST_ROWS && QUOTE.test(lines[end] ?? "")) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return [{ kind: "quote", blocks: parse(inner, depth + 1) }, end];
}

function list(lines: readonly string[], at: number, depth: number): Found {
  const first = ITEM.exec(lines[at] ?? "");
  const indent = first?.[1]?.length ?? 0;
  const isOrdered = /\d/.test(first?.[2] ?? "");
  const items: Item[] = [];
  let next = at;
  while (next < lines.length && items.length < MOST_ROWS) {
    const item = ITEM.exec(lines[next] ?? "");
    if (!item || (item[1]?.length ?? 0) > indent + 3 || (item[1]?.length ?? 0) < indent || /\d/.test(item[2] ?? "") !== isOrdered || RULE.test(lines[next] ?? "")) break;
    const [rows, end] = itemRows(lines, next, item);
    const done = DONE.exec(rows[0] ?? "");
    if (done) rows[0] = (rows[0] ?? "").slice(done[0].length);
    items.push({ isDone: done ? done[1] !== " " : null, blocks: parse(rows, depth + 1) });
    next = end;
  }
  return [{ kind: "list", start: isOrdered ? parseInt(first?.[2] ?? "1", 10) : null, items }, next];
}

/** The lines of one item, without what they are moved in by. */
function itemRows(lines: readonly string[], at: number, item: RegExpExecArray): [string[], number] {
  const width = (item[1]?.length ?? 0) + (item[2]?.length ?? 0) + Math.min(item[3]?.length ?? 1, 4);
  const rows = [item[4] ?? ""];
  let next = at + 1;
  while (next < lines.length && rows.length < 5 * MOST_ROWS) {
    const line = lines[next] ?? "";
    if (line.trim() === "") {
      // A blank line ends the item, unless what follows is moved in as well, or is the next item.
      const after = nextFull(lines, next);
      const follower = lines[after] ?? "";
      if (after >= lines.length || (indentOf(follower) < width && !ITEM.test(follower))) break;
      if (indentOf(follower) < width) return [rows, after];
      rows.push("");
      next = after;
      continue;
    } else if (indentOf(line) >= width) rows.push(line.slice(width));
    else if (ITEM.test(line)) {
      if (indentOf(line) <= (item[1]?.length ?? 0)) break;
      rows.push(line.slice(Math.min(indentOf(line), width)));
    } else if (rows[rows.length - 1] === "" || interrupts(lines, next, 0)) break;
    else rows.push(line.trimStart());
    next += 1;
  }
  return [rows, next];
}

const indentOf = (line: string) => line.length - line.trimStart().length;

function nextFull(lines: readonly string[], at: number): number {
  let next = at;
  while (next < lines.length && (lines[next] ?? "").trim() === "") next += 1;
  return next;
}

function isTable(lines: readonly string[], at: number): boolean {
  const [head = "", second = ""] = [lines[at], lines[at + 1]];
  return head.includes("|") && second.includes("-") && second.includes("|") && DELIMITERS.test(second.trim()) && cells(head).length === cells(second).length;
}

function table(lines: readonly string[], at: number): Found {
  const head = cells(lines[at] ?? "");
  const align = cells(lines[at + 1] ?? "").map((cell): Align => {
    const [isLeft, isRight] = [cell.startsWith(":"), cell.endsWith(":")];
    return isLeft && isRight ? "center" : isRight ? "right" : isLeft ? "left" : null;
  });
  const tables: Block[] = [];
  let rows: string[][] = [];
  let next = at + 2;
  for (; next < lines.length && (lines[next] ?? "").includes("|"); next += 1) {
    const row = cells(lines[next] ?? "");
    rows.push(head.map((_, index) => row[index] ?? ""));
    if (rows.length === MOST_ROWS) {
      tables.push({ kind: "table", head, align, rows });
      rows = [];
    }
  }
  if (rows.length > 0 || tables.length === 0) tables.push({ kind: "table", head, align, rows });
  return [tables, next];
}

/** A bar behind a backslash, or inside of code, is a letter of its cell. */
function cells(line: string): string[] {
  const found: string[] = [];
  let cell = "";
  let isCode = false;
  const inner = line.trim().replace(/^\|/, "").replace(/(^|[^\\])\|$/, "$1");
  for (let at = 0; at < inner.length; at += 1) {
    const letter = inner[at] ?? "";
    if (letter === "\\" && inner[at + 1] === "|") {
      cell += "|";
      at += 1;
    } else if (letter === "|" && !isCode) {
      found.push(cell.trim());
      cell = "";
    } else {
      if (letter === "`") isCode = !isCode && inner.indexOf("`", at + 1) >= 0;
      cell += letter;
    }
  }
  return [...found, cell.trim()];
}
