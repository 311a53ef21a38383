// Agents that are gone and can be read on, folded away below those that run.

import { api } from "../api";
import { folderName } from "../state/agent-order";
import { agentUrl } from "../state/route";
import { agents, helloCount } from "../state/world";
import { t, tn } from "../text";
import type { Former } from "../types";
import { Badge } from "./badge";
import { Icon } from "./icon";
import { Since } from "./since";
import { useFetched } from "./use-fetched";

export function FormerList({ filter }: { filter: string }) {
  // Whoever goes from the list of those that run comes into this one.
  const running = agents.value.map((agent) => agent.id).sort().join();
  const found = useFetched(api.former, [helloCount.value, running]);
  const shown = found.value?.agents.filter((agent) => isMeant(agent, filter)) ?? [];
  if (shown.length === 0) return null;
  return (
    <details class="agent-group former">
      <summary class="group-head">
        <h2>{t("former.title")}</h2>
        <span class="count-chip">{found.value?.total}</span>
      </summary>
      <ul class="agent-list">
        {shown.map((agent) => (
          <li key={agent.id} class="agent-row is-stopped" data-former={agent.handle}>
            <a class="agent-link" href={agentUrl(agent.id)}>
              <span class="agent-row-top">
                <span class="agent-name">{agent.handle}</span>
                {agent.handle !== agent.profile && <span class="agent-tool">{agent.profile}</span>}
              </span>
              <span class="agent-doing" title={agent.dir}>
                {tn("former.kept", agent.tasks, { folder: folderName(agent.dir) })}
              </span>
              <span class="agent-row-side">
                <Badge status="stopped" />
                <Since at={agent.last_at} />
              </span>
              <Icon name="chevron" />
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

function isMeant(agent: Former, filter: string): boolean {
  const seen = `${agent.handle} ${agent.profile} ${agent.dir}`.toLowerCase();
  return filter.toLowerCase().split(/\s+/).every((word) => seen.includes(word));
}
