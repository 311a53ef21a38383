// The text of a Markdown block as pieces: emphasis, code, links. Pure; every letter that marks nothing stays.
// Whatever closes a mark does so for every opener before it, so one failed search for a closer answers all later ones:
// that keeps the work in proportion to the text.

import type { Inline } from "./markdown";

const DEEPEST = 6;

const ESCAPED = /\\([!-/:-@[-`{-~])/y;
/** Formulas are left as they are, stars and underscores included. */
const MATH = /\$\$[^$]+\$\$|\$(?=[^\s$])[^$\n]*[^\s$\\]\$(?!\d)|\\\([\s\S]{0,2000}?\\\)|\\\[[\s\S]{0,2000}?\\\]/y;
const AUTOLINK = /<(https?:\/\/[^\s<>]+)>/y;
const LINK = /!?\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\(\s*(?:<([^<>\n]*)>|([^\s<>()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+"[^"\n]*")?\s*\)/y;
const TICKS = /`+/y;
const PLAIN = /[^\\$<![`*_~]+/y;

type Mark = { mark: string; kind: "strong" | "em" | "del" };
const MARKS: readonly Mark[] = [
  { mark: "**", kind: "strong" },
  { mark: "__", kind: "strong" },
  { mark: "~~", kind: "del" },
  { mark: "*", kind: "em" },
  { mark: "_", kind: "em" },
];

export function inlineOf(text: string): Inline[] {
  return read(text, 0);
}

function read(text: string, depth: number): Inline[] {
  const found: Inline[] = [];
  const hopeless = new Set<string>();
  let at = 0;
  const say = (words: string) => {
    const last = found[found.length - 1];
    if (last?.kind === "text") last.text += words;
    else if (words !== "") found.push({ kind: "text", text: words });
    at += words.length;
  };
  while (at < text.length) {
    const plain = matchAt(PLAIN, text, at);
    if (plain) {
      say(plain[0]);
      continue;
    }
    const piece = pieceAt(text, at, depth, hopeless);
    if (!piece) {
      // A run of one letter is taken whole, so that `***` is not looked at three times.
      const letter = text[at] ?? "";
      let end = at + 1;
      while (text[end] === letter && /[*_~]/.test(letter)) end += 1;
      say(text.slice(at, end));
      continue;
    }
    if (piece.inline.kind === "text") {
      const { text: words } = piece.inline;
      const to = piece.end;
      say(words);
      at = to;
    } else {
      found.push(piece.inline);
      at = piece.end;
    }
  }
  return found;
}

type Piece = { inline: Inline; end: number };

function pieceAt(text: string, at: number, depth: number, hopeless: Set<string>): Piece | null {
  switch (text[at]) {
    case "\\":
    case "$": {
      const math = matchAt(MATH, text, at);
      if (math) return { inline: { kind: "text", text: math[0] }, end: at + math[0].length };
      const escaped = matchAt(ESCAPED, text, at);
      return escaped && { inline: { kind: "text", text: escaped[1] ?? "" }, end: at + 2 };
    }
    case "`":
      return codeAt(text, at, hopeless);
    case "<": {
      const auto = matchAt(AUTOLINK, text, at);
      const [source = "", target = ""] = auto ?? [];
      return auto && { inline: { kind: "link", target, inner: [{ kind: "text", text: target }], source }, end: at + source.length };
    }
    case "!":
    case "[": {
      const link = depth < DEEPEST ? matchAt(LINK, text, at) : null;
      if (!link) return null;
      const [source, label = "", pointed, bare] = link;
      const target = pointed ?? bare ?? "";
      return { inline: { kind: "link", target, inner: read(label === "" ? target : label, DEEPEST), source }, end: at + source.length };
    }
    default:
      return depth < DEEPEST ? marked(text, at, depth, hopeless) : null;
  }
}

function codeAt(text: string, at: number, hopeless: Set<string>): Piece | null {
  const ticks = matchAt(TICKS, text, at)?.[0] ?? "`";
  if (hopeless.has(ticks)) return { inline: { kind: "text", text: ticks }, end: at + ticks.length };
  let close = text.indexOf(ticks, at + ticks.length);
  // A longer run is another mark.
  while (close >= 0 && (text[close + ticks.length] === "`" || text[close - 1] === "`")) {
    let end = close;
    while (text[end] === "`") end += 1;
    close = text.indexOf(ticks, end);
  }
  if (close < 0) {
    hopeless.add(ticks);
    return { inline: { kind: "text", text: ticks }, end: at + ticks.length };
  }
  const inside = text.slice(at + ticks.length, close).replace(/\n/g, " ");
  const isPadded = /^ .* $/.test(inside) && inside.trim() !== "";
  return { inline: { kind: "code", text: isPadded ? inside.slice(1, -1) : inside }, end: close + ticks.length };
}

function marked(text: string, at: number, depth: number, hopeless: Set<string>): Piece | null {
  for (const { mark, kind } of MARKS) {
    if (hopeless.has(mark) || !text.startsWith(mark, at) || !opens(text, at, mark)) continue;
    const close = closer(text, at + mark.length, mark);
    if (close === null) {
      hopeless.add(mark);
      continue;
    }
    return { inline: { kind, inner: read(text.slice(at + mark.length, close), depth + 1) }, end: close + mark.length };
  }
  return null;
}

const isSpace = (letter: string | undefined) => letter === undefined || /\s/.test(letter);
const isWord = (letter: string | undefined) => letter !== undefined && /[\p{L}\p{N}]/u.test(letter);

/** An underscore inside of a word is a letter of it. */
function opens(text: string, at: number, mark: string): boolean {
  if (isSpace(text[at + mark.length])) return false;
  return mark[0] !== "_" || !isWord(text[at - 1]);
}

function closer(text: string, from: number, mark: string): number | null {
  const letter = mark[0] ?? "";
  for (let at = text.indexOf(mark, from); at >= 0; at = text.indexOf(mark, at + 1)) {
    let end = at;
    while (text[end] === letter) end += 1;
    const isRightLength = end - at === mark.length || end - at > 2;
    const closes = at > from && isRightLength && !isSpace(text[at - 1]) && text[at - 1] !== "\\" && (letter !== "_" || !isWord(text[end]));
    // In `**a *b***` the last two close the strong.
    if (closes) return end - mark.length;
    at = end - 1;
  }
  return null;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
