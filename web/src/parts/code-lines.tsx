// Lines of code, coloured once the highlighter is there. It is fetched when the first code is shown; until then, and
// for languages it does not know, code is plain.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Token } from "../highlight/highlight";
import { Chunked } from "./chunked";

type Highlight = (code: string, language: string) => Token[][] | null;

const highlighter = signal<Highlight | null>(null);
let isAsked = false;

/** The tokens of each line, as soon as they are known. */
export function useHighlight(code: string, language: string): Token[][] | null {
  useEffect(() => {
    if (isAsked || language === "") return;
    isAsked = true;
    import("../highlight/highlight").then(
      (file) => (highlighter.value = file.highlight),
      // The next code that is shown asks again.
      () => (isAsked = false),
    );
  }, [language]);
  const highlight = highlighter.value;
  return useMemo(() => (highlight && language !== "" ? highlight(code, language) : null), [highlight, code, language]);
}

export function Tokens({ tokens }: { tokens: Token[] }) {
  return (
    <>
      {tokens.map((token, index): ComponentChildren => (token.kind === null ? token.text : <span key={index} class={`token-${token.kind}`}>{token.text}</span>))}
    </>
  );
}

const CHUNK_LINES = 200;

type Props = { lines: string[]; language: string };

export function CodeLines({ lines, language }: Props) {
  const coloured = useHighlight(useMemo(() => lines.join("\n"), [lines]), language);
  const line = (at: number) => {
    const tokens = coloured?.[at];
    const text = tokens ? <Tokens tokens={tokens} /> : lines[at];
    return <>{text}{at < lines.length - 1 && "\n"}</>;
  };
  const chunk = (index: number) => {
    const from = index * CHUNK_LINES;
    const to = Math.min(lines.length, from + CHUNK_LINES);
    // Without colours a chunk is one text.
    if (!coloured) return <code>{lines.slice(from, to).join("\n")}</code>;
    return <code>{Array.from({ length: to - from }, (_, at) => line(from + at))}</code>;
  };
  return <Chunked count={Math.max(1, Math.ceil(lines.length / CHUNK_LINES))} render={chunk} />;
}

/** What tells the language of a file: its ending, or the name of those that have none. */
export function endingOf(path: string): string {
  const name = path.replace(/(:\d+)+$/, "").split("/").pop() ?? "";
  return name.includes(".") ? (name.split(".").pop() ?? "") : name;
}
