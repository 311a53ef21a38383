// A diff that stands in a reply.

import { CopyButton } from "./copy-button";
import { DiffView } from "./diff-view";

/** The file that a diff names, if it names one. */
const FILE = /^\+\+\+ (?:b\/)?(\S+)/m;

export function DiffCard({ text }: { text: string }) {
  const path = FILE.exec(text)?.[1] ?? "";
  return (
    <figure class="card">
      <figcaption class="card-head">
        <span class="card-title">diff</span>
        <span class="card-note">{path}</span>
        <CopyButton text={text} />
      </figcaption>
      <DiffView path={path} patch={text.replace(/^[\s\S]*?(?=^@@ )/m, "")} />
    </figure>
  );
}
