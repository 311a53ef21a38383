// One worktree: its agents, its changes, its files, and the way to merge or remove it.

import { useState } from "preact/hooks";
import { api } from "../api";
import { Badge } from "../parts/badge";
import { FetchProblem } from "../parts/fetch-problem";
import { MergeDialog } from "../parts/merge-dialog";
import { openNewAgent } from "../parts/overlays";
import { RemoveDialog } from "../parts/remove-dialog";
import { Loading, ScreenHead } from "../parts/screen-head";
import { useFetched } from "../parts/use-fetched";
import { WorktreeFacts } from "../parts/worktree-facts";
import { agentUrl, go, worktreeUrl } from "../state/route";
import { agentById, isReadOnly, worktreesVersion } from "../state/world";
import { bytes } from "../state/when";
import { t } from "../text";
import { ChangesTab } from "./changes-tab";
import { FilesTab } from "./files-tab";

type Props = { id: string; tab: "changes" | "files"; path: string };

export function WorktreeScreen({ id, tab, path }: Props) {
  const [open, setOpen] = useState<"merge" | "remove" | null>(null);
  const found = useFetched(() => api.worktree(id), [id, worktreesVersion.value]);
  const tree = found.value?.worktree;
  if (!tree) return found.error ? <FetchProblem text={found.error} again={found.again} /> : <Loading />;
  const isGit = tree.head !== null || tree.branch !== null;
  const shown = isGit ? tab : "files";
  const close = () => setOpen(null);
  return (
    <>
      <ScreenHead title={tree.name} note={<span class="one-line">{tree.path}{tree.bytes ? ` · ${bytes(tree.bytes)}` : ""}</span>}>
        {!isReadOnly.value && (
          <>
            <button type="button" class="button" onClick={() => openNewAgent(tree.id)}>
              {t("worktrees.agent")}
            </button>
            {isGit && !tree.main && (
              <>
                <button type="button" class="button primary" onClick={() => setOpen("merge")}>
                  {t("merge.open")}
                </button>
                <button type="button" class="button danger" onClick={() => setOpen("remove")}>
                  {t("remove.open")}
                </button>
              </>
            )}
          </>
        )}
      </ScreenHead>
      <div class="worktree-bar">
        {isGit && <WorktreeFacts tree={tree} />}
        {tree.agents.flatMap((agent) => agentById(agent) ?? []).map((agent) => (
          <a key={agent.id} class="peer" href={agentUrl(agent.id)}>
            <Badge status={agent.status} />
            <span>{agent.handle}</span>
          </a>
        ))}
      </div>
      <nav class="tabs" aria-label={t("tab.label")}>
        {(isGit ? (["changes", "files"] as const) : (["files"] as const)).map((name) => (
          <a key={name} href={worktreeUrl(id, name)} aria-current={shown === name ? "page" : undefined}>
            {t(`tab.${name}`)}
          </a>
        ))}
      </nav>
      <div class="worktree-pane">
        {shown === "changes" ? (
          <ChangesTab worktree={id} path={path} fileUrl={(file) => worktreeUrl(id, "files", file)} />
        ) : (
          <FilesTab worktree={id} root={tree.path} path={path} onOpen={(file) => go(worktreeUrl(id, "files", file))} />
        )}
      </div>
      {open === "merge" && <MergeDialog tree={tree} onClose={close} onDone={found.again} />}
      {open === "remove" && <RemoveDialog tree={tree} onClose={close} />}
    </>
  );
}
