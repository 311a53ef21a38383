// Who this conversation is with, and the ways to its terminal and its changes.

import { Badge } from "../../../web/src/parts/badge";
import { Icon } from "../../../web/src/parts/icon";
import { Since } from "../../../web/src/parts/since";
import { agentUrl } from "../../../web/src/state/route";
import { t } from "../../../web/src/text";
import type { Agent } from "../../../web/src/types";

export function Head({ agent }: { agent: Agent }) {
  return (
    <header class="agent-head">
      <Badge status={agent.status} kind={agent.prompt?.kind} />
      <h1>{agent.handle}</h1>
      {agent.handle !== agent.profile && <span class="agent-tool">{agent.profile}</span>}
      <Since at={agent.since} />
      <span class="head-gap" />
      {agent.branch !== null && (
        <span class="branch" title={agent.dir}>
          <Icon name="branch" />
          {agent.branch}
        </span>
      )}
      <a class="button small" href={agentUrl(agent.id, { tab: "terminal" })}>
        {t("tab.terminal")}
      </a>
      {!agent.machine && (
        <a class="button small" href={agentUrl(agent.id, { tab: "changes" })}>
          {t("tab.changes")}
        </a>
      )}
    </header>
  );
}
