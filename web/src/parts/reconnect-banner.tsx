// Says that what is shown may be old, and that the page is working on it.

import { lineState } from "../state/line";
import { hasWorld } from "../state/world";
import { t } from "../text";

export function ReconnectBanner() {
  if (lineState.value !== "lost" || !hasWorld.value) return null;
  return (
    <p class="banner" role="status" data-testid="reconnecting">
      <span class="spinner" aria-hidden="true" />
      {t("banner.reconnecting")}
    </p>
  );
}
