// Code as coloured pieces, line by line. Pure. It knows words and shapes, no grammar: good enough to read by, and it can
// never change a letter.

import { languageOf, type Language, type TokenKind } from "./languages";

export type Token = { kind: TokenKind | null; text: string };

/** More than this is shown without colours. */
const MOST_LETTERS = 300_000;

const patterns = new Map<Language, RegExp>();

/** The tokens of each line, or nothing for a language that is not known. */
export function highlight(code: string, name: string): Token[][] | null {
  const language = languageOf(name);
  if (!language || code.length > MOST_LETTERS) return null;
  const lines: Token[][] = [[]];
  const say = (kind: TokenKind | null, text: string) => {
    text.split("\n").forEach((row, index) => {
      if (index > 0) lines.push([]);
      if (row !== "") lines[lines.length - 1]?.push({ kind, text: row });
    });
  };
  let at = 0;
  for (const match of code.matchAll(patternOf(language))) {
    const [text] = match;
    if (text === "") continue;
    if (match.index > at) say(null, code.slice(at, match.index));
    say(kindOf(language, match), text);
    at = match.index + text.length;
  }
  if (at < code.length) say(null, code.slice(at));
  return lines;
}

function patternOf(language: Language): RegExp {
  const known = patterns.get(language);
  if (known) return known;
  // Words come last, so that a call or a type is told before it is looked up.
  const pattern = new RegExp([...language.rules.map(([, rule]) => `(${rule})`), "([A-Za-z_$][\\w$]*)"].join("|"), "gm");
  patterns.set(language, pattern);
  return pattern;
}

function kindOf(language: Language, match: RegExpMatchArray): TokenKind | null {
  const index = match.slice(1).findIndex((group) => group !== undefined);
  const kind = language.rules[index]?.[0] ?? null;
  const isWord = kind === null || kind === "function" || kind === "type";
  const word = language.ignoresCase ? match[0].toLowerCase() : match[0];
  return isWord && language.keywords.has(word) ? "keyword" : kind;
}
