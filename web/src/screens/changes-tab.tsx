// What an agent changed in its worktree, file by file.

import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api";
import { DiffView } from "../parts/diff-view";
import { tell } from "../parts/failure";
import { FetchProblem } from "../parts/fetch-problem";
import { Preview } from "../parts/picture";
import { Loading } from "../parts/screen-head";
import { ReviewBar } from "../parts/review-bar";
import { useFollowed } from "../parts/use-followed";
import { isReadOnly, worktreesVersion } from "../state/world";
import { t, tn } from "../text";
import type { Agent, DiffFile } from "../types";

/** `agent`: who is sent comments, where there is one. */
type Props = { worktree: string; path: string; fileUrl: (path: string) => string; agent?: Agent };

/** Files change without a word; so often they are looked at. */
const FOLLOW_MS = 4_000;

/** More files than this start folded. */
const OPEN_FILES = 8;

export function ChangesTab({ worktree, path, fileUrl, agent }: Props) {
  const [against, setAgainst] = useState("base");
  const [fold, setFold] = useState<"open" | "closed" | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const diff = useFollowed(() => api.diff(worktree, against), [worktree, against, worktreesVersion.value], FOLLOW_MS);
  const isOpen = (file: string, count: number) => path === file || (fold === null ? count <= OPEN_FILES : fold === "open");
  const show = (index: number) => {
    const card = list.current?.children[index]?.querySelector("details");
    if (!card) return;
    card.open = true;
    card.scrollIntoView({ block: "start" });
  };
  const found = diff.value;
  return (
    <div class="pane changes">
      <div class="pane-bar">
        <div class="segments" role="group" aria-label={t("diff.against")}>
          {(["base", "head"] as const).map((kind) => (
            <button type="button" key={kind} aria-pressed={against === kind} onClick={() => setAgainst(kind)}>
              {t(`diff.${kind}`)}
            </button>
          ))}
        </div>
        {found && (
          <span class="diff-sum">
            {tn("count.files", found.files.length)} <span class="plus">+{found.additions}</span> <span class="minus">−{found.deletions}</span>
          </span>
        )}
        <span class="head-gap" />
        {found && found.files.length > 1 && (
          <button type="button" class="button small" onClick={() => setFold(fold === "closed" ? "open" : "closed")}>
            {fold === "closed" ? t("diff.openAll") : t("diff.closeAll")}
          </button>
        )}
        <button type="button" class="button small" disabled={diff.isLoading} onClick={diff.again}>
          {diff.isLoading ? t("state.loading") : t("act.refresh")}
        </button>
      </div>
      {diff.error && <FetchProblem text={diff.error} again={diff.again} />}
      {!found && diff.isLoading && <Loading />}
      {found?.truncated && <p class="notice">{t("diff.truncated")}</p>}
      {found && found.files.length === 0 && !diff.error && <p class="hint">{t("diff.none")}</p>}
      {found && found.files.length > 1 && (
        <ul class="changed-list" aria-label={t("diff.files")}>
          {found.files.map((file, index) => (
            <li key={file.path}>
              <button type="button" class="link-button" onClick={() => show(index)}>
                {file.path}
              </button>{" "}
              {!file.binary && (
                <span class="diff-sum">
                  <span class="plus">+{file.additions}</span> <span class="minus">−{file.deletions}</span>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      <div ref={list}>
        {found?.files.map((file) => (
          <ChangedFile key={`${against}${file.path}${fold}`} worktree={worktree} against={against} file={file} url={fileUrl(file.path)} isOpen={isOpen(file.path, found.files.length)} isMeant={path === file.path} canComment={agent !== undefined && !isReadOnly.value} />
        ))}
      </div>
      {agent && <ReviewBar agent={agent} />}
    </div>
  );
}

type FileProps = { worktree: string; against: string; file: DiffFile; url: string; isOpen: boolean; isMeant: boolean; canComment: boolean };

function ChangedFile({ worktree, against, file, url, isOpen, isMeant, canComment }: FileProps) {
  const [patch, setPatch] = useState<string | null>(null);
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isMeant) row.current?.scrollIntoView({ block: "start" });
  }, [isMeant]);
  const whole = async () => {
    try {
      const full = await api.diff(worktree, against, file.path);
      setPatch(full.files[0]?.patch ?? file.patch);
    } catch (error) {
      tell(error);
    }
  };
  return (
    <div class="card changed-file" ref={row}>
      {file.status !== "deleted" && (
        <a class="chip-button open-file" href={url} aria-label={t("file.open", { path: file.path })}>
          {t("act.open")}
        </a>
      )}
      <details open={isOpen}>
        <summary class="card-head">
          <span class={`file-state state-${file.status}`} title={t(`file.${file.status}`)}>
            {t(`file.${file.status}`)}
          </span>
          <span class="file-path">{file.old_path && file.old_path !== file.path ? `${file.old_path} → ${file.path}` : file.path}</span>
          {!file.binary && (
            <span class="diff-sum">
              <span class="plus">+{file.additions}</span> <span class="minus">−{file.deletions}</span>
            </span>
          )}
        </summary>
        {file.binary && (file.status === "deleted" ? <p class="hint">{t("file.binary")}</p> : <Preview worktree={worktree} path={file.path} />)}
        {!file.binary && <DiffView path={file.path} patch={patch ?? file.patch} worktree={canComment ? worktree : undefined} />}
        {file.truncated && patch === null && (
          <button type="button" class="fold" onClick={() => void whole()}>
            {t("diff.whole")}
          </button>
        )}
      </details>
    </div>
  );
}
