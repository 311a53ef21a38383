// Where to go, on a phone.

import { inboxCount } from "../state/inbox";
import { route } from "../state/route";
import { t } from "../text";
import { Icon } from "./icon";

const PLACES = [
  { url: "/", screen: "agents", icon: "agents", text: "nav.agents" },
  { url: "/inbox", screen: "inbox", icon: "inbox", text: "nav.inbox" },
  { url: "/mesh", screen: "mesh", icon: "mesh", text: "nav.mesh" },
  { url: "/more", screen: "more", icon: "more", text: "nav.more" },
] as const;

export function BottomBar() {
  const here = route.value.screen;
  const isMore = !["agents", "agent", "inbox", "mesh", "task"].includes(here);
  const isHere = (screen: string) => (screen === "more" ? isMore : screen === here || (screen === "agents" && here === "agent"));
  return (
    <nav class="bottom-bar" aria-label={t("nav.label")}>
      {PLACES.map((place) => (
        <a key={place.url} href={place.url} aria-current={isHere(place.screen) ? "page" : undefined}>
          <span class="bottom-icon">
            <Icon name={place.icon} />
            {place.screen === "inbox" && inboxCount.value > 0 && <span class="count-bubble">{inboxCount.value}</span>}
          </span>
          <span>{t(place.text)}</span>
        </a>
      ))}
    </nav>
  );
}
