// What an agent answered: its pieces as cards and prose, or its source, and a copy of the whole.

import { useMemo, useState } from "preact/hooks";
import { replyText } from "../state/reply-text";
import type { Links } from "../state/route";
import { t } from "../text";
import type { Task } from "../types";
import { ArtifactView } from "./artifact-view";
import { CodeLines } from "./code-lines";
import { CopyIcon } from "./copy-button";
import { Icon } from "./icon";

export function Reply({ task, links }: { task: Task; links: Links | null }) {
  const [isSource, setIsSource] = useState(false);
  if (task.artifacts.length === 0) return null;
  return (
    <div class="reply">
      {isSource ? (
        <Source text={replyText(task)} />
      ) : (
        task.artifacts.map((artifact, index) => <ArtifactView key={index} artifact={artifact} before={task.artifacts[index - 1]} links={links} />)
      )}
      <div class="entry-acts" role="group" aria-label={t("entry.acts")}>
        <CopyIcon label={t("reply.copy")} text={() => replyText(task)} />
        <button type="button" class="icon-button small" aria-label={t("reply.source")} title={t("reply.source")} aria-pressed={isSource} onClick={() => setIsSource(!isSource)}>
          <Icon name="source" />
        </button>
      </div>
    </div>
  );
}

function Source({ text }: { text: string }) {
  const lines = useMemo(() => text.split("\n"), [text]);
  return (
    <pre class="code source" tabIndex={0} aria-label={t("reply.sourceLabel")}>
      <CodeLines lines={lines} language="" />
    </pre>
  );
}
