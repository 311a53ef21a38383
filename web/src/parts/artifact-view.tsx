// One piece of a reply as the card that fits it: text, code, diff, JSON, file or error.

import { pathOfCode, withoutLine } from "../state/code-path";
import { looksLikeDiff } from "../state/patch";
import type { Links } from "../state/route";
import { textOf } from "../state/task-fold";
import { t } from "../text";
import type { Artifact, Part } from "../types";
import { CodeCard } from "./code-card";
import { CopyButton } from "./copy-button";
import { DiffView } from "./diff-view";
import { Icon } from "./icon";
import { JsonCard } from "./json-card";
import { PlainText } from "./plain-text";

/** Longer prose is folded to its beginning. */
const LONG_TEXT_LINES = 60;
const SHOWN_LINES = 6;
/** So much of a line is enough to find it in a terminal, where it may be wrapped. */
const FINDABLE = 40;

/** `before` is the piece of the reply above this one. */
type Props = { artifact: Artifact; before?: Artifact | undefined; links: Links | null };

export function ArtifactView({ artifact, before, links }: Props) {
  const parts = artifact.parts ?? [];
  const text = textOf(parts);
  if (artifact.type === "error" || artifact.metadata?.isError) {
    return <ErrorCard code={artifact.metadata?.errorCode ?? ""} text={text} />;
  }
  switch (artifact.type) {
    case "code": {
      const language = artifact.metadata?.language ?? "text";
      if (looksLikeDiff(language, text)) return <DiffCard text={text} />;
      const path = pathOfCode(artifact, before);
      return <CodeCard title={path ?? language} language={path ? language : null} text={text} acts={path && links && <OpenFile path={path} links={links} />} />;
    }
    case "data":
      return <JsonCard name={t("json.title")} data={parts.find((part) => part.data !== undefined)?.data ?? text} />;
    case "file":
      return <FileCard path={artifact.metadata?.path ?? artifact.name ?? text} links={links} />;
    case "parts":
      return (
        <>
          {parts.map((part, index) => (
            <PartView key={index} part={part} links={links} />
          ))}
        </>
      );
    default:
      return <Prose text={text} links={links} />;
  }
}

function PartView({ part, links }: { part: Part; links: Links | null }) {
  if (part.data !== undefined) return <JsonCard name={t("json.title")} data={part.data} />;
  if (part.file) return <FileCard path={part.file.name ?? part.file.uri ?? ""} links={links} />;
  return <Prose text={part.text ?? ""} links={links} />;
}

function Prose({ text, links }: { text: string; links: Links | null }) {
  if (text.trim() === "") return null;
  const lines = text.split("\n");
  const here = lines.slice(SHOWN_LINES).find((line) => line.trim() !== "")?.trim().slice(0, FINDABLE) ?? "";
  if (lines.length <= LONG_TEXT_LINES) {
    return (
      <p class="prose">
        <PlainText text={text} />
      </p>
    );
  }
  return (
    <>
      <details class="long-prose">
        <summary>
          <span class="prose">{lines.slice(0, SHOWN_LINES).join("\n")}</span>
          <span class="link-button">{t("fold.more", { n: lines.length - SHOWN_LINES })}</span>
        </summary>
        <p class="prose">
          <PlainText text={lines.slice(SHOWN_LINES).join("\n")} />
        </p>
      </details>
      {links?.terminal && (
        <a class="link-button" href={links.terminal(here)}>
          {t("act.inTerminal")}
        </a>
      )}
    </>
  );
}

function DiffCard({ text }: { text: string }) {
  return (
    <figure class="card">
      <figcaption class="card-head">
        <span class="card-title">diff</span>
        <span class="card-note" />
        <CopyButton text={text} />
      </figcaption>
      <DiffView patch={text.replace(/^[\s\S]*?(?=^@@ )/m, "")} />
    </figure>
  );
}

function OpenFile({ path, links }: { path: string; links: Links }) {
  return (
    <a class="chip-button" href={links.file(withoutLine(path))}>
      {t("act.openFile")}
    </a>
  );
}

function FileCard({ path, links }: { path: string; links: Links | null }) {
  return (
    <div class="card file-card">
      <Icon name="file" />
      <span class="file-path">{path}</span>
      {links && (
        <>
          <OpenFile path={path} links={links} />
          <a class="chip-button" href={links.diff(withoutLine(path))}>
            {t("act.diff")}
          </a>
        </>
      )}
    </div>
  );
}

export function ErrorCard({ code, text, onRetry }: { code: string; text: string; onRetry?: (() => void) | undefined }) {
  return (
    <div class="card error-card" role="group" aria-label={t("error.title")}>
      <div class="card-head">
        <span class="card-title">{t("error.title")}</span>
        <span class="card-note">{code}</span>
        {onRetry && (
          <button type="button" class="chip-button" onClick={onRetry}>
            {t("act.retry")}
          </button>
        )}
      </div>
      <p class="prose">
        <PlainText text={text} />
      </p>
    </div>
  );
}
