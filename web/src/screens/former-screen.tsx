// An agent that is gone: what was said to it, to read.

import { useEffect, useMemo } from "preact/hooks";
import { api } from "../api";
import { Badge } from "../parts/badge";
import { Entries, inOrder, startsOf } from "../parts/entries";
import { Icon } from "../parts/icon";
import { openDrawer, openNewAgent } from "../parts/overlays";
import { Empty, Loading } from "../parts/screen-head";
import { Since } from "../parts/since";
import { ToastStack } from "../parts/toast-stack";
import { useFetched } from "../parts/use-fetched";
import { usePast } from "../parts/use-past";
import { autoNotes } from "../state/auto-answer";
import { died } from "../state/inbox";
import { worktreeLinks, worktreeUrl } from "../state/route";
import { saidTo } from "../state/tasks";
import { helloCount, isReadOnly } from "../state/world";
import { t } from "../text";
import type { Former } from "../types";

export function FormerScreen({ id, meant }: { id: string; meant: string }) {
  const found = useFetched(() => api.formerAgent(id), [id, helloCount.value]);
  if (!found.value) return found.isLoading ? <Loading /> : <NeverHeard />;
  return <FormerConversation key={found.value.agent.id} agent={found.value.agent} worktree={found.value.worktree} meant={meant} />;
}

function FormerConversation({ agent, worktree, meant }: { agent: Former; worktree: string | null; meant: string }) {
  const past = usePast(agent.id, meant);
  // Whoever opens it has looked at it.
  const unseen = died.value.find((death) => agent.id.startsWith(death.agent) && death.handle === agent.handle)?.agent;
  useEffect(() => {
    if (unseen !== undefined && !isReadOnly.value) void api.seeDeath(unseen).catch(() => {});
  }, [unseen]);
  const links = useMemo(() => (worktree ? worktreeLinks(worktree) : null), [worktree]);
  const all = saidTo(agent);
  const lines = inOrder(all, [...startsOf(all, past.hasOlder, null), ...autoNotes(agent.id)]);
  return (
    <div class="agent-screen">
      <header class="agent-head">
        <button type="button" class="icon-button drawer-button" aria-label={t("nav.open")} onClick={openDrawer}>
          <Icon name="agents" />
        </button>
        <a class="icon-button back-button" href="/" aria-label={t("nav.agents")}>
          <Icon name="back" />
        </a>
        <Badge status="stopped" />
        <h1>{agent.handle}</h1>
        {agent.handle !== agent.profile && <span class="agent-tool">{agent.profile}</span>}
        {agent.died !== null && <span class="agent-tool">{t("inbox.died", { how: agent.died })}</span>}
        <Since at={agent.last_at} />
        <span class="head-gap" />
        {worktree && (
          <a class="branch" href={worktreeUrl(worktree, "files")} title={agent.dir}>
            <Icon name="folder" />
            {t("tab.files")}
          </a>
        )}
      </header>
      <div class="agent-pane">
        <div class="conversation">
          <Entries lines={lines} past={past} handle={agent.handle} links={links} empty={t("former.nothing")} meant={meant} />
          <ToastStack />
          <div class="composer former-note">
            <p>
              {t("agent.gone")}. {t("former.readOn")}
            </p>
            {!isReadOnly.value && (
              <button type="button" class="button" onClick={() => openNewAgent(worktree ?? undefined)}>
                {t("agents.new")}
              </button>
            )}
          </div>
        </div>
      </div>
    </div>
  );
}

function NeverHeard() {
  return (
    <>
      <Empty title={t("agent.gone")} isScreen>
        <a class="button" href="/">
          {t("nav.agents")}
        </a>
      </Empty>
      <ToastStack />
    </>
  );
}
