// One agent in a list: what it does or asks, or how the last thing went; since when, and what waits. A question can be
// answered in place, and what runs can be stopped.

import { useEffect, useRef } from "preact/hooks";
import { fetchLast, firstWords, lastTasks } from "../state/last-task";
import { agentUrl } from "../state/route";
import { isInterrupted, textOf } from "../state/task-fold";
import { isOf } from "../state/tasks";
import { unread } from "../state/unread";
import { isReadOnly } from "../state/world";
import { t, tn } from "../text";
import type { Agent } from "../types";
import { Badge } from "./badge";
import { Icon } from "./icon";
import { InterruptButton } from "./interrupt-button";
import { PromptCard } from "./prompt-card";
import { Since } from "./since";
import { isRunning, stopAgent } from "./stop";

export function AgentRow({ agent }: { agent: Agent }) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const watcher = new IntersectionObserver((seen) => {
      if (!seen.some((one) => one.isIntersecting)) return;
      watcher.disconnect();
      fetchLast(agent.id);
    });
    if (row.current) watcher.observe(row.current);
    return () => watcher.disconnect();
  }, [agent.id]);
  const doing = doingOf(agent);
  return (
    <li ref={row} class={`agent-row is-${agent.status}`} data-agent={agent.handle}>
      <div class="agent-row-main">
        <a class="agent-link" href={agentUrl(agent.id)}>
          <span class="agent-row-top">
            <span class="agent-name">{agent.handle}</span>
            {agent.handle !== agent.profile && <span class="agent-tool">{agent.profile}</span>}
            {unread.value.has(agent.id) && <span class="unread" role="img" aria-label={t("agents.unread")} />}
            {agent.queue > 0 && <span class="count-chip">{tn("count.queued", agent.queue)}</span>}
          </span>
          <span class={`agent-doing${doing.isBad ? " is-bad" : ""}`}>{doing.text}</span>
          <span class="agent-row-side">
            <Badge status={agent.status} kind={agent.prompt?.kind} />
            <Since at={agent.since} />
          </span>
          <Icon name="chevron" />
        </a>
        {isRunning(agent) && !isReadOnly.value && (
          <InterruptButton act={() => stopAgent(agent.id, agent.handle)} hasSession isStopping={agent.status === "stopping"} isRunning label={t("palette.stop", { name: agent.handle })} />
        )}
      </div>
      {agent.prompt && agent.status === "waiting" && <PromptCard agent={agent.id} prompt={agent.prompt} />}
    </li>
  );
}

function doingOf(agent: Agent): { text: string; isBad: boolean } {
  const now = agent.held ?? agent.task?.text ?? "";
  if (now !== "") return { text: now, isBad: false };
  const last = lastTasks.value.get(agent.id);
  if (!last || !isOf(last, agent)) return { text: t("agents.noReply"), isBad: false };
  const asked = textOf(last.message.parts);
  if (isInterrupted(last)) return { text: t("agents.lastStopped", { text: asked }), isBad: false };
  if (last.status.state === "completed") return { text: firstWords(last) || asked, isBad: false };
  return { text: t("agents.lastFailed", { text: last.status.error?.message ?? asked }), isBad: true };
}
