// The files of a worktree, to read.

import { useMemo } from "preact/hooks";
import { api } from "../api";
import { CopyButton } from "../parts/copy-button";
import { tell } from "../parts/failure";
import { FetchProblem } from "../parts/fetch-problem";
import { Icon } from "../parts/icon";
import { LineTable } from "../parts/line-table";
import { Preview } from "../parts/picture";
import { ReviewBar } from "../parts/review-bar";
import { Loading } from "../parts/screen-head";
import { useFollowed } from "../parts/use-followed";
import { linesAsRows } from "../state/patch";
import { bytes } from "../state/when";
import { isReadOnly } from "../state/world";
import { t } from "../text";
import type { Agent, Entry, FileText } from "../types";

/** `agent`: who is sent comments, where there is one. */
type Props = { worktree: string; root: string; path: string; onOpen: (path: string) => void; agent?: Agent };
type Shown = { kind: "folder"; entries: Entry[] } | { kind: "file"; file: FileText };

/** Files change without a word; so often they are looked at. */
const FOLLOW_MS = 4_000;

export function FilesTab({ worktree, root, path, onOpen, agent }: Props) {
  // Agents name files as they see them; the hub wants them from the worktree on.
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  const shown = useFollowed(() => look(worktree, inside), [worktree, inside], FOLLOW_MS);
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
      {shown.value?.kind === "file" && !shown.error && <FileView worktree={worktree} file={shown.value.file} canComment={agent !== undefined && !isReadOnly.value} />}
      {agent && <ReviewBar agent={agent} />}
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

function FileView({ worktree, file, canComment }: { worktree: string; file: FileText; canComment: boolean }) {
  const rows = useMemo(() => linesAsRows(file.text ?? ""), [file.text]);
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
        <Preview worktree={worktree} path={file.path} version={file.modified} />
      ) : (
        <LineTable path={file.path} rows={rows} worktree={canComment ? worktree : undefined} label={file.path} isFile />
      )}
      {file.truncated && <p class="hint">{t("files.truncated")}</p>}
    </figure>
  );
}
