// One piece of a reply as the card that fits it: text, code, diff, JSON, file or error.

import { useMemo, useState } from "preact/hooks";
import { pathOfCode, withoutLine } from "../state/code-path";
import { looksLikeDiff } from "../state/patch";
import type { Links } from "../state/route";
import { textOf } from "../state/task-fold";
import { t, tn } from "../text";
import type { Artifact, Part } from "../types";
import { CodeCard } from "./code-card";
import { DiffCard } from "./diff-card";
import { ErrorCard } from "./error-card";
import { Icon } from "./icon";
import { JsonCard } from "./json-card";
import { Markdown } from "./markdown";

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
      return <CodeCard title={path ?? language} path={path} language={language} text={text} acts={path && links && <OpenFile path={path} links={links} />} />;
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
  const [isOpen, setIsOpen] = useState(false);
  const lines = useMemo(() => linesIn(text), [text]);
  if (text.trim() === "") return null;
  if (lines <= LONG_TEXT_LINES) return <Markdown text={text} links={links} />;
  const cut = endOfLine(text, SHOWN_LINES);
  const here = text.slice(cut, cut + 20 * FINDABLE).split("\n").find((line) => line.trim() !== "")?.trim().slice(0, FINDABLE) ?? "";
  return (
    <div class="long-prose">
      <Markdown text={isOpen ? text : text.slice(0, cut)} links={links} />
      <div class="long-acts">
        <button type="button" class="link-button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? t("fold.less") : tn("fold.more", lines - SHOWN_LINES)}
        </button>
        {links?.terminal && (
          <a class="link-button" href={links.terminal(here)}>
            {t("act.inTerminal")}
          </a>
        )}
      </div>
    </div>
  );
}

function linesIn(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** Where the n-th line ends. */
function endOfLine(text: string, n: number): number {
  let at = -1;
  for (let line = 0; line < n; line += 1) at = text.indexOf("\n", at + 1);
  return at;
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
