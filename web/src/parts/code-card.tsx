// A block of code, exact. Long ones are folded.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t, tn } from "../text";
import { CopyButton } from "./copy-button";

/** Beyond this many lines a block is folded. */
const FOLD_AT = 20;
const SHOWN_WHEN_FOLDED = 12;

/** The language is told beside a title that is not the language itself. */
type Props = { title: string; language?: string | null; text: string; acts?: ComponentChildren; isError?: boolean };

export function CodeCard({ title, language = null, text, acts, isError = false }: Props) {
  const lines = text.replace(/\n$/, "").split("\n");
  const [isOpen, setIsOpen] = useState(lines.length <= FOLD_AT);
  const shown = isOpen ? lines : lines.slice(0, SHOWN_WHEN_FOLDED);
  return (
    <figure class={`card code-card${isError ? " is-error" : ""}`}>
      <figcaption class="card-head">
        <span class="card-title">{title}</span>
        <span class="card-note">
          {language && `${language} · `}
          {tn("count.lines", lines.length)}
        </span>
        {acts}
        <CopyButton text={text} />
      </figcaption>
      <pre class="code" tabIndex={0}>
        <code>{shown.join("\n")}</code>
      </pre>
      {lines.length > FOLD_AT && (
        <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? t("fold.less") : t("fold.more", { n: lines.length - SHOWN_WHEN_FOLDED })}
        </button>
      )}
    </figure>
  );
}
