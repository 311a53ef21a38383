// The left side of a wide window: where to go, and every agent at a glance.

import { inboxCount } from "../state/inbox";
import { prefer } from "../state/prefs";
import { agentUrl, route } from "../state/route";
import { unread } from "../state/unread";
import { agentById, agents } from "../state/world";
import { t, type TextKey } from "../text";
import { Badge } from "./badge";
import { Icon, type IconName } from "./icon";
import { openPalette } from "./overlays";
import { useHeldOrder } from "./use-held-order";

type Place = { url: string; screen: string; icon: IconName; text: TextKey };

export const PLACES: readonly Place[] = [
  { url: "/", screen: "agents", icon: "agents", text: "nav.agents" },
  { url: "/inbox", screen: "inbox", icon: "inbox", text: "nav.inbox" },
  { url: "/mesh", screen: "mesh", icon: "mesh", text: "nav.mesh" },
  { url: "/w", screen: "worktrees", icon: "worktrees", text: "nav.worktrees" },
  { url: "/settings", screen: "settings", icon: "settings", text: "nav.settings" },
];

export function Rail({ onGo }: { onGo?: () => void }) {
  const here = route.value;
  const { order, handlers } = useHeldOrder(agents.value.map((agent) => agent.id));
  return (
    <div class="rail" onClick={(event) => event.target instanceof Element && event.target.closest("a") && onGo?.()}>
      <div class="brand">
        <img src="/icon.svg" alt="" width="26" height="26" />
        <span>Synapse</span>
        {onGo === undefined && (
          <button type="button" class="icon-button small rail-close" aria-label={t("nav.close")} onClick={() => prefer({ railClosed: true })}>
            <Icon name="rail" />
          </button>
        )}
      </div>
      <button type="button" class="search-box" onClick={openPalette}>
        <Icon name="search" />
        <span>{t("nav.search")}</span>
        <kbd>{isMac() ? "⌘K" : "Ctrl K"}</kbd>
      </button>
      <nav aria-label={t("nav.label")}>
        <ul class="places">
          {PLACES.map((place) => (
            <li key={place.url}>
              <a href={place.url} aria-current={here.screen === place.screen ? "page" : undefined}>
                <Icon name={place.icon} />
                <span>{t(place.text)}</span>
                {place.screen === "inbox" && inboxCount.value > 0 && <span class="count-bubble">{inboxCount.value}</span>}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <nav class="rail-agents" aria-label={t("nav.agents")} {...handlers}>
        <h2>{t("nav.agents")}</h2>
        <ul>
          {order.flatMap((id) => agentById(id) ?? []).map((agent) => (
            <li key={agent.id}>
              <a href={agentUrl(agent.id)} aria-current={here.screen === "agent" && agentById(here.id)?.id === agent.id ? "page" : undefined}>
                <Badge status={agent.status} isShort />
                <span class="rail-name">{agent.handle}</span>
                {unread.value.has(agent.id) && <span class="unread" role="img" aria-label={t("agents.unread")} />}
                <span class="rail-branch">{agent.branch ?? ""}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  );
}

export const isMac = () => /Mac|iPhone|iPad/.test(navigator.userAgent);
