// What the head of an agent has no room for on a phone: program, branch, peers, and the way to what is rarely needed.

import { useRef } from "preact/hooks";
import { agentUrl, worktreeUrl } from "../state/route";
import { t } from "../text";
import type { Agent } from "../types";
import { Icon } from "./icon";

export function AgentMenu({ agent, peers }: { agent: Agent; peers: string[] }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => menu.current?.removeAttribute("open");
  const closeOnLeave = (event: FocusEvent) => {
    if (!(event.relatedTarget instanceof Node) || !menu.current?.contains(event.relatedTarget)) close();
  };
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
    menu.current?.querySelector("summary")?.focus();
  };
  return (
    <details ref={menu} class="agent-menu" onFocusOut={closeOnLeave} onKeyDown={closeOnEscape}>
      <summary class="icon-button" aria-label={t("agent.more")}>
        <Icon name="more" />
      </summary>
      <ul onClick={close}>
        <li class="agent-menu-tool">{agent.profile}</li>
        <li>
          <a href={worktreeUrl(agent.worktree)}>
            <Icon name="branch" />
            {agent.branch ?? t("agent.noBranch")}
          </a>
        </li>
        {peers.map((peer) => (
          <li key={peer}>
            <a href={agentUrl(peer.slice(1))}>
              <Icon name="mesh" />
              {peer}
            </a>
          </li>
        ))}
        <li>
          <a href={agentUrl(agent.id, { tab: "info" })}>
            <Icon name="settings" />
            {t("agent.moreInfo")}
          </a>
        </li>
      </ul>
    </details>
  );
}
