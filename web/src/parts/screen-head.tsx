// The title of a screen and what can be done there.

import type { ComponentChildren } from "preact";
import { t } from "../text";
import { Icon } from "./icon";
import { openDrawer } from "./overlays";

type Props = { title: ComponentChildren; note?: ComponentChildren; children?: ComponentChildren };

export function ScreenHead({ title, note, children }: Props) {
  return (
    <header class="screen-head">
      <button type="button" class="icon-button drawer-button" aria-label={t("nav.open")} onClick={openDrawer}>
        <Icon name="agents" />
      </button>
      <div class="screen-title">
        <h1>{title}</h1>
        {note && <p class="screen-note">{note}</p>}
      </div>
      {children && <div class="screen-acts">{children}</div>}
    </header>
  );
}

/** `isScreen`: there is nothing else, so its title is that of the screen. */
export function Empty({ title, isScreen = false, children }: { title: string; isScreen?: boolean; children?: ComponentChildren }) {
  const Title = isScreen ? "h1" : "p";
  return (
    <div class="empty">
      <Title class="empty-title">{title}</Title>
      {children}
    </div>
  );
}

export function Loading() {
  return (
    <p class="loading" role="status">
      <span class="spinner" aria-hidden="true" />
      {t("state.loading")}
    </p>
  );
}
