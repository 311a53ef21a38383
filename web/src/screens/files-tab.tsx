// The files of a worktree, to read.

import { useMemo } from "preact/hooks";
import { api } from "../api";
import { CodeLines, endingOf } from "../parts/code-lines";
import { CopyButton } from "../parts/copy-button";
import { tell } from "../parts/failure";
import { FetchProblem } from "../parts/fetch-problem";
import { Icon } from "../parts/icon";
import { isPicture, Picture } from "../parts/picture";
import { Loading } from "../parts/screen-head";
import { useFetched } from "../parts/use-fetched";
import { bytes } from "../state/when";
import { t } from "../text";
import type { Entry, FileText } from "../types";

type Props = { worktree: string; root: string; path: string; onOpen: (path: string) => void };
type Shown = { kind: "folder"; entries: Entry[] } | { kind: "file"; file: FileText };

export function FilesTab({ worktree, root, path, onOpen }: Props) {
  // Agents name files as they see them; the hub wants them from the worktree on.
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  const shown = useFetched(() => look(worktree, inside), [worktree, inside]);
  const steps = inside.split("/").filter(Boolean);
  return (
    <div class="pane files">
      <nav class="crumbs" aria-label={t("files.path")}>
        <button type="button" class="link-button" onClick={() => onOpen("")}>
          {t("files.root")}
        </button>
        {steps.map((step, index) => (
          <span key={index}>
            <span class="crumb-mark" aria-hidden="true">
              /
            </span>
            {index === steps.length - 1 ? (
              <span aria-current="page">{step}</span>
            ) : (
              <button type="button" class="link-button" onClick={() => onOpen(steps.slice(0, index + 1).join("/"))}>
                {step}
              </button>
            )}
          </span>
        ))}
      </nav>
      {shown.error && <FetchProblem text={shown.error} again={shown.again} />}
      {!shown.value && shown.isLoading && <Loading />}
      {shown.value?.kind === "folder" && !shown.error && <Folder entries={shown.value.entries} path={inside} onOpen={onOpen} />}
      {shown.value?.kind === "file" && !shown.error && <FileView worktree={worktree} file={shown.value.file} />}
    </div>
  );
}

/** Folders that were seen in a listing: these need not be asked for as files first. */
const folders = new Set<string>();

/** A path may be a folder or a file; the one that answers tells which. */
async function look(worktree: string, path: string): Promise<Shown> {
  const folder = async (): Promise<Shown> => {
    const { entries } = await api.tree(worktree, path);
    for (const entry of entries) if (entry.kind === "dir") folders.add(`${worktree}:${below(path, entry.name)}`);
    return { kind: "folder", entries };
  };
  if (path === "" || folders.has(`${worktree}:${path}`)) return folder();
  try {
    return { kind: "file", file: await api.file(worktree, path) };
  } catch (notAFile) {
    return folder().catch(() => {
      throw notAFile;
    });
  }
}

const below = (path: string, name: string) => (path === "" ? name : `${path}/${name}`);

function Folder({ entries, path, onOpen }: { entries: Entry[]; path: string; onOpen: (path: string) => void }) {
  if (entries.length === 0) return <p class="hint">{t("files.empty")}</p>;
  return (
    <ul class="file-list">
      {entries.map((entry) => {
        const canOpen = entry.kind === "dir" || entry.kind === "file";
        return (
          <li key={entry.name}>
            <button type="button" disabled={!canOpen} onClick={() => onOpen(below(path, entry.name))}>
              <Icon name={entry.kind === "dir" ? "folder" : entry.kind === "link" ? "link" : "file"} />
              <span class="file-name">{entry.name}</span>
              <span class="card-note">{entry.kind === "file" ? bytes(entry.size) : ""}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

async function download(worktree: string, path: string): Promise<void> {
  try {
    const url = URL.createObjectURL(await api.fileBytes(worktree, path));
    const link = document.createElement("a");
    link.href = url;
    link.download = path.split("/").pop() ?? "";
    link.click();
    URL.revokeObjectURL(url);
  } catch (error) {
    tell(error);
  }
}

function FileView({ worktree, file }: { worktree: string; file: FileText }) {
  const lines = useMemo(() => (file.text ?? "").replace(/\n$/, "").split("\n"), [file.text]);
  return (
    <figure class="card code-card">
      <figcaption class="card-head">
        <span class="card-title">{file.path.split("/").pop()}</span>
        <span class="card-note">{bytes(file.size)}</span>
        <button type="button" class="chip-button" onClick={() => void download(worktree, file.path)}>
          {t("files.download")}
        </button>
        {file.text !== null && <CopyButton text={file.text} />}
      </figcaption>
      {file.text === null ? (
        isPicture(file.path) ? <Picture worktree={worktree} path={file.path} /> : <p class="hint">{t("file.binary")}</p>
      ) : (
        <pre class="code numbered" tabIndex={0} aria-label={file.path}>
          <CodeLines lines={lines} language={endingOf(file.path)} isNumbered />
        </pre>
      )}
      {file.truncated && <p class="hint">{t("files.truncated")}</p>}
    </figure>
  );
}
