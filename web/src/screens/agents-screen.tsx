// The home: every agent, grouped by where it works, who waits for a person first.

import { useState } from "preact/hooks";
import { api } from "../api";
import { AgentRow } from "../parts/agent-row";
import { tell } from "../parts/failure";
import { FormerList } from "../parts/former-list";
import { Icon, StopIcon } from "../parts/icon";
import { InterruptButton } from "../parts/interrupt-button";
import { openNewAgent } from "../parts/overlays";
import { Empty, Loading, ScreenHead } from "../parts/screen-head";
import { Since } from "../parts/since";
import { isRunning, stopAll } from "../parts/stop";
import { stopWorktree } from "../parts/stop-worktree";
import { useHeldOrder } from "../parts/use-held-order";
import { counts, folderName, groups, matches, repositoryName } from "../state/agent-order";
import { agentUrl, go, worktreeUrl } from "../state/route";
import { isPhone } from "../state/window";
import { agents, hasWorld, isReadOnly } from "../state/world";
import { t, tn } from "../text";
import type { Status } from "../types";

const COUNTED: readonly Status[] = ["waiting", "failed", "working", "stopping", "starting", "idle", "away", "stopped"];

/** Fewer agents than this are found without a filter. */
const FILTER_FROM = 5;

export function AgentsScreen() {
  const [filter, setFilter] = useState("");
  const all = agents.value;
  const { order, handlers } = useHeldOrder(all.map((agent) => agent.id));
  const place = new Map(order.map((id, index) => [id, index]));
  const inPlace = [...all].sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
  const shown = inPlace.filter((agent) => matches(agent, filter));
  const field = all.length >= FILTER_FROM && (
    <input class="filter" type="search" placeholder={t("agents.filter")} aria-label={t("agents.filter")} value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
  );
  const sum = counts(all);
  const note = COUNTED.filter((status) => sum[status]).map((status) => (
    <span key={status} class={`count count-${status}`}>
      {sum[status]} {t(`status.${status}`)}
    </span>
  ));
  return (
    <>
      <ScreenHead title={t("nav.agents")} note={all.length > 0 ? note : undefined}>
        {!isPhone.value && field}
        {!isReadOnly.value && (
          <>
            {all.length > 0 && <StopAll />}
            <button type="button" class="button primary compact" onClick={() => openNewAgent()}>
              <Icon name="plus" />
              <span>{t("agents.new")}</span>
            </button>
          </>
        )}
      </ScreenHead>
      <div class="screen-body" {...handlers}>
        {isPhone.value && field}
        {!hasWorld.value && <Loading />}
        {hasWorld.value && all.length === 0 && <FirstRun />}
        {all.length > 0 && shown.length === 0 && <Empty title={t("agents.noMatch")} />}
        {groups(shown).map((group) => (
          <section key={group.worktree} class={`agent-group${group.seen ? " is-away" : ""}`}>
            <header class="group-head">
              <h2>
                {repositoryName(group) && <span class="group-repository">{repositoryName(group)} / </span>}
                {group.machine ? (
                  <span title={group.dir}>
                    {group.machine}: {folderName(group.dir)}
                  </span>
                ) : (
                  <a href={worktreeUrl(group.worktree)} title={group.dir}>
                    {folderName(group.dir)}
                  </a>
                )}
              </h2>
              {group.seen && (
                <span class="group-seen">
                  {t("agents.away")} <Since at={group.seen} /> {t("agents.ago")}
                </span>
              )}
              {group.branch && (
                <span class="branch">
                  <Icon name="branch" />
                  {group.branch}
                </span>
              )}
              {group.agents.length > 1 && !group.machine && !isReadOnly.value && (
                <InterruptButton act={() => stopWorktree(group.worktree)} hasSession isStopping={false} isRunning={group.agents.some(isRunning)} label={t("agents.stopGroup", { name: folderName(group.dir) })} />
              )}
            </header>
            <ul class="agent-list">
              {group.agents.map((agent) => (
                <AgentRow key={agent.id} agent={agent} />
              ))}
            </ul>
          </section>
        ))}
        {hasWorld.value && <FormerList filter={filter} />}
      </div>
    </>
  );
}

/** Says what it will do before it is pressed. */
function StopAll() {
  const running = agents.value.filter(isRunning);
  const asking = running.filter((agent) => agent.status === "waiting").length;
  const hint = running.length === 0 ? t("stop.nothingAtAll") : t("agents.stopAllHint", { working: tn("count.working", running.length - asking), waiting: tn("count.questions", asking) });
  return (
    <button type="button" class={`button stop-all compact${running.length > 0 ? " is-loud" : ""}`} title={hint} aria-description={hint} onClick={() => void stopAll()}>
      <StopIcon />
      <span>{running.length === 0 ? t("agents.stopAll") : t("agents.stopAllRunning", { n: running.length })}</span>
    </button>
  );
}

const COMMANDS = ["synapse claude", "synapse start codex", "synapse list"];

function FirstRun() {
  const [isStarting, setIsStarting] = useState(false);
  const demo = async () => {
    setIsStarting(true);
    try {
      const { agent } = await api.start({ profile: "dummy", name: "demo" });
      go(agentUrl(agent.id));
    } catch (error) {
      tell(error);
      setIsStarting(false);
    }
  };
  return (
    <Empty title={t("empty.title")}>
      <p>{t("empty.text")}</p>
      <ol class="commands">
        {COMMANDS.map((command, index) => (
          <li key={command}>
            <code>{command}</code>
            <span>{t(`empty.command${(index + 1) as 1 | 2 | 3}`)}</span>
          </li>
        ))}
      </ol>
      {!isReadOnly.value && (
        <button type="button" class="button primary" disabled={isStarting} onClick={() => void demo()}>
          {isStarting ? t("new.starting") : t("empty.demo")}
        </button>
      )}
    </Empty>
  );
}
