// One piece of a reply as the card that fits it: text, code, diff, JSON, file or error.

import { looksLikeDiff } from "../state/patch";
import { agentUrl } from "../state/route";
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

type Props = { artifact: Artifact; agent: string | null };

export function ArtifactView({ artifact, agent }: Props) {
  const parts = artifact.parts ?? [];
  const text = textOf(parts);
  if (artifact.type === "error" || artifact.metadata?.isError) {
    return <ErrorCard code={artifact.metadata?.errorCode ?? ""} text={text} />;
  }
  switch (artifact.type) {
    case "code": {
      const language = artifact.metadata?.language ?? "text";
      return looksLikeDiff(language, text) ? <DiffCard text={text} /> : <CodeCard title={language} text={text} />;
    }
    case "data":
      return <JsonCard name={t("json.title")} data={parts.find((part) => part.data !== undefined)?.data ?? text} />;
    case "file":
      return <FileCard path={artifact.metadata?.path ?? artifact.name ?? text} agent={agent} />;
    case "parts":
      return (
        <>
          {parts.map((part, index) => (
            <PartView key={index} part={part} agent={agent} />
          ))}
        </>
      );
    default:
      return <Prose text={text} agent={agent} />;
  }
}

function PartView({ part, agent }: { part: Part; agent: string | null }) {
  if (part.data !== undefined) return <JsonCard name={t("json.title")} data={part.data} />;
  if (part.file) return <FileCard path={part.file.name ?? part.file.uri ?? ""} agent={agent} />;
  return <Prose text={part.text ?? ""} agent={agent} />;
}

function Prose({ text, agent }: { text: string; agent: string | null }) {
  if (text.trim() === "") return null;
  const lines = text.split("\n");
  if (lines.length <= LONG_TEXT_LINES) {
    return (
      <p class="prose">
        <PlainText text={text} />
      </p>
    );
  }
  return (
    <details class="long-prose">
      <summary>
        <span class="prose">{lines.slice(0, 6).join("\n")}</span>
        <span class="link-button">{t("fold.more", { n: lines.length - 6 })}</span>
      </summary>
      <p class="prose">
        <PlainText text={lines.slice(6).join("\n")} />
      </p>
      {agent && (
        <a class="link-button" href={agentUrl(agent, "terminal")}>
          {t("act.inTerminal")}
        </a>
      )}
    </details>
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

function FileCard({ path, agent }: { path: string; agent: string | null }) {
  return (
    <div class="card file-card">
      <Icon name="file" />
      <span class="file-path">{path}</span>
      {agent && (
        <>
          <a class="chip-button" href={agentUrl(agent, "files", path)}>
            {t("act.open")}
          </a>
          <a class="chip-button" href={agentUrl(agent, "changes", path)}>
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
