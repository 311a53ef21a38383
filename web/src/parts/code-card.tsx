// A block of code, exact. Long ones are folded.

import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { t, tn } from "../text";
import { CodeLines, endingOf } from "./code-lines";
import { CopyButton } from "./copy-button";

/** Beyond this many lines a block is folded. */
const FOLD_AT = 20;
const SHOWN_WHEN_FOLDED = 12;

/** The language is told beside a title that is a path. */
type Props = { title: string; path?: string | null; language: string; text: string; acts?: ComponentChildren };

export function CodeCard({ title, path = null, language, text, acts }: Props) {
  const lines = useMemo(() => text.replace(/\n$/, "").split("\n"), [text]);
  const isLong = lines.length > FOLD_AT;
  const [isOpen, setIsOpen] = useState(false);
  const isFolded = isLong && !isOpen;
  const shown = useMemo(() => (isFolded ? lines.slice(0, SHOWN_WHEN_FOLDED) : lines), [lines, isFolded]);
  const isUnnamed = language === "" || language === "text";
  return (
    <figure class="card code-card">
      <figcaption class="card-head">
        <span class="card-title">{title}</span>
        <span class="card-note">
          {path && !isUnnamed && `${language} · `}
          {tn("count.lines", lines.length)}
        </span>
        {acts}
        <CopyButton text={text} />
      </figcaption>
      <pre class="code" tabIndex={0}>
        <CodeLines lines={shown} language={isUnnamed && path ? endingOf(path) : language} />
      </pre>
      {isLong && (
        <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? t("fold.less") : tn("fold.more", lines.length - SHOWN_WHEN_FOLDED)}
        </button>
      )}
    </figure>
  );
}
