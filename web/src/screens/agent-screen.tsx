// One agent: conversation and terminal side by side where there is room, tabs where there is not.

import { useRef } from "preact/hooks";
import { api } from "../api";
import { AgentMenu } from "../parts/agent-menu";
import { AgentSheet } from "../parts/agent-sheet";
import { Badge } from "../parts/badge";
import { Icon } from "../parts/icon";
import { openDrawer } from "../parts/overlays";
import { Loading } from "../parts/screen-head";
import { Since } from "../parts/since";
import { Splitter } from "../parts/splitter";
import { lazy } from "../parts/lazy";
import { ToastStack } from "../parts/toast-stack";
import { useFollowed } from "../parts/use-followed";
import { WorktreeFacts } from "../parts/worktree-facts";
import { AGENT_TABS, agentUrl, go, worktreeUrl, type AgentTab } from "../state/route";
import { isWide } from "../state/window";
import { agentById, hasWorld, world, worktreesVersion } from "../state/world";
import { t } from "../text";
import type { Agent } from "../types";
import { ConversationTab } from "./conversation-tab";
import { screenActs } from "./screen-acts";

const ChangesTab = lazy(() => import("./later").then((file) => file.ChangesTab));
const FilesTab = lazy(() => import("./later").then((file) => file.FilesTab));
const FormerScreen = lazy(() => import("./later").then((file) => file.FormerScreen));
const InfoTab = lazy(() => import("./later").then((file) => file.InfoTab));
const UsageChip = lazy(() => import("./later").then((file) => file.UsageChip), true);
const TerminalView = lazy(() => import("../terminal/terminal-view").then((file) => file.TerminalView));

const MOST_PEERS = 4;
const FOLLOW_MS = 10_000;

const bindStop = (press: () => void) => {
  screenActs.stop = press;
};

type Props = { id: string; tab: AgentTab | null; path: string; find: string; message: string };

export function AgentScreen({ id, tab, path, find, message }: Props) {
  const agent = agentById(id);
  if (!agent) return hasWorld.value ? <FormerScreen id={id} meant={message} /> : <Loading />;
  const wide = isWide.value;
  const tabs = tabsOf(agent).filter((name) => !wide || name !== "conversation");
  const shown: AgentTab = tabs.find((name) => name === tab) ?? tabs[0] ?? "conversation";
  const conversation = <ConversationTab key={agent.id} agent={agent} meant={message} bindStop={bindStop} />;
  const pane = <Pane key={`${agent.id}${shown}`} agent={agent} tab={shown} path={path} find={find} />;
  return (
    <div class="agent-screen">
      <AgentHead agent={agent} />
      {!wide && <Tabs agent={agent} tabs={tabs} shown={shown} />}
      {wide ? (
        <div class="agent-split">
          <section class="split-left" aria-label={t("tab.conversation")}>
            {conversation}
          </section>
          <Splitter />
          <section class="split-right">
            <Tabs agent={agent} tabs={tabs} shown={shown} />
            {pane}
          </section>
        </div>
      ) : (
        <>
          <SwipePane agent={agent} tab={shown}>
            {shown === "conversation" ? conversation : pane}
          </SwipePane>
          {shown !== "conversation" && (
            <>
              {shown !== "terminal" && <ToastStack />}
              <AgentSheet agent={agent} bindStop={bindStop} />
            </>
          )}
        </>
      )}
    </div>
  );
}

/** Files are on the machine of the agent, and one that is reached by ACP has no terminal. */
const tabsOf = (agent: Agent) =>
  AGENT_TABS.filter((name) => (name === "terminal" ? agent.has_terminal : !agent.machine || (name !== "changes" && name !== "files")));

function Pane({ agent, tab, path, find }: { agent: Agent; tab: AgentTab; path: string; find: string }) {
  const openFile = (file: string) => go(agentUrl(agent.id, { tab: "files", path: file }));
  switch (tab) {
    case "changes":
      return <ChangesTab worktree={agent.worktree} agent={agent} path={path} fileUrl={(file) => agentUrl(agent.id, { tab: "files", path: file })} />;
    case "files":
      return <FilesTab worktree={agent.worktree} root={agent.dir} path={path} onOpen={openFile} agent={agent} />;
    case "info":
      return <InfoTab agent={agent} />;
    default:
      return <TerminalView agent={agent} find={find} />;
  }
}

function AgentHead({ agent }: { agent: Agent }) {
  const peers = peersOf(agent);
  return (
    <header class="agent-head">
      <button type="button" class="icon-button drawer-button" aria-label={t("nav.open")} onClick={openDrawer}>
        <Icon name="agents" />
      </button>
      <a class="icon-button back-button" href="/" aria-label={t("nav.agents")}>
        <Icon name="back" />
      </a>
      <Badge status={agent.status} kind={agent.prompt?.kind} />
      <h1>{agent.handle}</h1>
      {agent.handle !== agent.profile && <span class="agent-tool">{agent.profile}</span>}
      <Since at={agent.since} />
      {agent.usage && <UsageChip agent={agent} />}
      <span class="head-gap" />
      {peers.map((peer) => (
        <a key={peer} class="route-chip" href={agentUrl(peer.slice(1))}>
          {peer}
        </a>
      ))}
      {agent.machine ? (
        <span class="branch" title={agent.dir}>
          <Icon name="branch" />
          {agent.branch ?? t("agent.noBranch")}
        </span>
      ) : (
        <a class="branch" href={worktreeUrl(agent.worktree)} title={agent.dir}>
          <Icon name="branch" />
          {agent.branch ?? t("agent.noBranch")}
        </a>
      )}
      {isWide.value && !agent.machine && agent.branch !== null && <BranchFacts agent={agent} />}
      <AgentMenu agent={agent} peers={peers} />
    </header>
  );
}

/** Asked again whenever the agent has come to rest, since that is when files have changed, and now and then. */
function BranchFacts({ agent }: { agent: Agent }) {
  const found = useFollowed(() => api.worktree(agent.worktree), [agent.worktree, worktreesVersion.value, agent.status === "idle"], FOLLOW_MS);
  return found.value && !found.error ? <WorktreeFacts tree={found.value.worktree} /> : null;
}

/** Whom it talked to; people have no `@`. */
function peersOf(agent: Agent): string[] {
  const me = `@${agent.handle.toLowerCase()}`;
  const others = world.value.edges.flatMap((edge) => (edge.from === me ? [edge.to] : edge.to === me ? [edge.from] : []));
  return [...new Set(others)].filter((name) => name.startsWith("@")).slice(0, MOST_PEERS);
}

function Tabs({ agent, tabs, shown }: { agent: Agent; tabs: readonly AgentTab[]; shown: AgentTab }) {
  return (
    <nav class="tabs" aria-label={t("tab.label")}>
      {tabs.map((tab) => (
        <a key={tab} href={agentUrl(agent.id, { tab })} aria-current={tab === shown ? "page" : undefined}>
          {t(`tab.${tab}`)}
        </a>
      ))}
    </nav>
  );
}

/** A swipe must be this long, and more sideways than down. */
const SWIPE_PX = 70;

function SwipePane({ agent, tab, children }: { agent: Agent; tab: AgentTab; children: preact.ComponentChildren }) {
  const start = useRef<{ x: number; y: number } | null>(null);
  const onStart = (event: TouchEvent) => {
    const touch = event.touches.length === 1 ? event.touches[0] : undefined;
    const isOwn = event.target instanceof Element && event.target.closest(".terminal-box, .diff, .code, .tabs, pre, textarea, .key-row");
    start.current = touch && !isOwn ? { x: touch.clientX, y: touch.clientY } : null;
  };
  const onEnd = (event: TouchEvent) => {
    const touch = event.changedTouches[0];
    if (!start.current || !touch) return;
    const [dx, dy] = [touch.clientX - start.current.x, touch.clientY - start.current.y];
    start.current = null;
    if (Math.abs(dx) < SWIPE_PX || Math.abs(dx) < 2 * Math.abs(dy)) return;
    const tabs = tabsOf(agent);
    const next = tabs[tabs.indexOf(tab) + (dx < 0 ? 1 : -1)];
    if (next) go(agentUrl(agent.id, { tab: next }), "replace");
  };
  return (
    <div class="agent-pane" onTouchStart={onStart} onTouchEnd={onEnd}>
      {children}
    </div>
  );
}
