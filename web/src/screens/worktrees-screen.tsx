// Repositories and their worktrees: make one, see what is in it, merge it, remove it.

import { useState } from "preact/hooks";
import { api } from "../api";
import { Badge } from "../parts/badge";
import { CreateWorktreeDialog } from "../parts/create-worktree-dialog";
import { FetchProblem } from "../parts/fetch-problem";
import { Icon } from "../parts/icon";
import { InterruptButton } from "../parts/interrupt-button";
import { openNewAgent } from "../parts/overlays";
import { Empty, Loading, ScreenHead } from "../parts/screen-head";
import { isRunning } from "../parts/stop";
import { stopWorktree } from "../parts/stop-worktree";
import { useFetched } from "../parts/use-fetched";
import { WorktreeFacts } from "../parts/worktree-facts";
import { agentUrl, worktreeUrl } from "../state/route";
import { agentById, isReadOnly, worktreesVersion } from "../state/world";
import { t } from "../text";
import type { Repository, Worktree } from "../types";

export function WorktreesScreen() {
  const list = useFetched(api.repositories, [worktreesVersion.value]);
  const [creating, setCreating] = useState<Repository | null>(null);
  return (
    <>
      <ScreenHead title={t("nav.worktrees")}>
        <button type="button" class="button" disabled={list.isLoading} onClick={list.again}>
          {list.isLoading ? t("state.loading") : t("act.refresh")}
        </button>
      </ScreenHead>
      <div class="screen-body">
        {list.error && <FetchProblem text={list.error} again={list.again} />}
        {!list.value && list.isLoading && <Loading />}
        {list.value?.repositories.length === 0 && (
          <Empty title={t("worktrees.empty")}>
            <p>{t("worktrees.emptyText")}</p>
          </Empty>
        )}
        {list.value?.repositories.map((repository) => (
          <section key={repository.id} class="agent-group" data-repository={repository.name}>
            <header class="group-head">
              <h2>{repository.name}</h2>
              <span class="card-note one-line">{repository.path}</span>
              <span class="head-gap" />
              {repository.git && !isReadOnly.value && (
                <button type="button" class="button small" onClick={() => setCreating(repository)}>
                  <Icon name="plus" />
                  <span>{t("worktrees.create")}</span>
                </button>
              )}
            </header>
            <ul class="agent-list">
              {repository.worktrees.map((tree) => (
                <WorktreeRow key={tree.id} tree={tree} isGit={repository.git} />
              ))}
            </ul>
          </section>
        ))}
      </div>
      {creating && <CreateWorktreeDialog repository={creating} onClose={() => setCreating(null)} onDone={list.again} />}
    </>
  );
}

function WorktreeRow({ tree, isGit }: { tree: Worktree; isGit: boolean }) {
  const here = tree.agents.flatMap((id) => agentById(id) ?? []);
  return (
    <li class="agent-row worktree-row" data-worktree={tree.name}>
      <a class="agent-link" href={worktreeUrl(tree.id)}>
        <span class="agent-row-top">
          <span class="agent-name">{tree.name}</span>
          {tree.branch && (
            <span class="branch">
              <Icon name="branch" />
              {tree.branch}
            </span>
          )}
          {tree.main && isGit && <span class="agent-tool">{t("worktrees.main")}</span>}
        </span>
        <span class="agent-doing">{isGit ? <WorktreeFacts tree={tree} /> : t("worktrees.plain")}</span>
        <Icon name="chevron" />
      </a>
      <div class="worktree-agents">
        {here.map((agent) => (
          <a key={agent.id} class="peer" href={agentUrl(agent.id)}>
            <Badge status={agent.status} />
            <span>{agent.handle}</span>
          </a>
        ))}
        <span class="head-gap" />
        {!isReadOnly.value && (
          <>
            {here.length > 0 && <InterruptButton act={() => stopWorktree(tree.id)} hasSession isStopping={false} isRunning={here.some(isRunning)} label={t("agents.stopGroup", { name: tree.name })} />}
            {!tree.missing && (
              <button type="button" class="button small" onClick={() => openNewAgent(tree.id)}>
                <Icon name="plus" />
                <span>{t("worktrees.agent")}</span>
              </button>
            )}
          </>
        )}
      </div>
    </li>
  );
}
