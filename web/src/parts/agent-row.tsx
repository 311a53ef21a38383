// One agent in a list: what it does or asks, since when, and what waits. A question can be answered in place.

import { agentUrl } from "../state/route";
import { unread } from "../state/unread";
import { t, tn } from "../text";
import type { Agent } from "../types";
import { Badge } from "./badge";
import { Icon } from "./icon";
import { PromptCard } from "./prompt-card";
import { Since } from "./since";

export function AgentRow({ agent }: { agent: Agent }) {
  const doing = agent.task?.text ?? "";
  return (
    <li class={`agent-row is-${agent.status}`} data-agent={agent.handle}>
      <a class="agent-link" href={agentUrl(agent.id)}>
        <span class="agent-row-top">
          <span class="agent-name">{agent.handle}</span>
          {agent.handle !== agent.profile && <span class="agent-tool">{agent.profile}</span>}
          {unread.value.has(agent.id) && <span class="unread" role="img" aria-label={t("agents.unread")} />}
          {agent.queue > 0 && <span class="count-chip">{tn("count.queued", agent.queue)}</span>}
        </span>
        <span class="agent-doing">{agent.held ?? (doing || t("agents.nothing"))}</span>
        <span class="agent-row-side">
          <Badge status={agent.status} kind={agent.prompt?.kind} />
          <Since at={agent.since} />
        </span>
        <Icon name="chevron" />
      </a>
      {agent.prompt && agent.status === "waiting" && <PromptCard agent={agent.id} prompt={agent.prompt} />}
    </li>
  );
}
