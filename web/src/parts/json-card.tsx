// A value as a tree that folds, or as it is written.

import { useState } from "preact/hooks";
import { t } from "../text";
import { CopyButton } from "./copy-button";

/** Deeper levels start folded. */
const OPEN_DEPTH = 2;

export function JsonCard({ data, name }: { data: unknown; name: string }) {
  const [isRaw, setIsRaw] = useState(false);
  const text = JSON.stringify(data, null, 2) ?? "null";
  return (
    <figure class="card json-card">
      <figcaption class="card-head">
        <span class="card-title">{name}</span>
        <span class="card-note" />
        <button type="button" class="chip-button" aria-pressed={isRaw} onClick={() => setIsRaw(!isRaw)}>
          {isRaw ? t("json.tree") : t("json.raw")}
        </button>
        <CopyButton text={text} />
      </figcaption>
      {isRaw ? (
        <pre class="code" tabIndex={0}>
          <code>{text}</code>
        </pre>
      ) : (
        <div class="json-tree">
          <JsonValue value={data} depth={0} />
        </div>
      )}
    </figure>
  );
}

function JsonValue({ value, depth }: { value: unknown; depth: number }) {
  if (typeof value !== "object" || value === null) {
    const kind = value === null ? "null" : typeof value;
    return <span class={`json-${kind}`}>{JSON.stringify(value)}</span>;
  }
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return <span>{isList ? "[]" : "{}"}</span>;
  return (
    <details open={depth < OPEN_DEPTH}>
      <summary>{isList ? `[${entries.length}]` : `{${entries.length}}`}</summary>
      <ul>
        {entries.map(([key, inner]) => (
          <li key={key}>
            <span class="json-key">{key}</span>: <JsonValue value={inner} depth={depth + 1} />
          </li>
        ))}
      </ul>
    </details>
  );
}
