// The places that have no room in a phone's bar.

import { Icon } from "../parts/icon";
import { openHelp } from "../parts/overlays";
import { ScreenHead } from "../parts/screen-head";
import { t } from "../text";

const PLACES = [
  { url: "/flows", icon: "flows", text: "nav.flows" },
  { url: "/w", icon: "worktrees", text: "nav.worktrees" },
  { url: "/search", icon: "search", text: "nav.search" },
  { url: "/settings", icon: "settings", text: "nav.settings" },
] as const;

export function MoreScreen() {
  return (
    <>
      <ScreenHead title={t("nav.more")} />
      <div class="screen-body narrow">
        <ul class="agent-list more-list">
          {PLACES.map((place) => (
            <li key={place.url} class="agent-row">
              <a class="more-link" href={place.url}>
                <Icon name={place.icon} />
                <span>{t(place.text)}</span>
                <Icon name="chevron" />
              </a>
            </li>
          ))}
          <li class="agent-row">
            <button type="button" class="more-link" onClick={openHelp}>
              <Icon name="keyboard" />
              <span>{t("help.title")}</span>
              <Icon name="chevron" />
            </button>
          </li>
        </ul>
      </div>
    </>
  );
}
