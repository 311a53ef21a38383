// Carries out what the keys of the page mean.

import { closeOverlay, openHelp, openPalette, overlay } from "./parts/overlays";
import { screenActs } from "./screens/screen-acts";
import { prefs } from "./state/prefs";
import { agentUrl, go, route } from "./state/route";
import { actOf, type Act } from "./state/shortcuts";
import { agents, isReadOnly, waiting } from "./state/world";
import { t } from "./text";
import { toast } from "./state/toasts";

let chordAt: number | null = null;

export function listenToKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const { target } = event;
    const isTyping = target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable], .xterm") !== null;
    const pressed = { key: event.key, isCommand: event.metaKey || event.ctrlKey, isAlt: event.altKey, isTyping, hasLetters: prefs.value.letterKeys };
    const read = actOf(pressed, Date.now(), chordAt);
    chordAt = read.chordAt;
    if (!read.act) return;
    if (overlay.value !== null) {
      if (read.act.do === "palette") closeOverlay();
      return;
    }
    event.preventDefault();
    carryOut(read.act);
  });
}

function carryOut(act: Act): void {
  switch (act.do) {
    case "palette":
      openPalette();
      return;
    case "help":
      openHelp();
      return;
    case "go":
      go(act.to);
      return;
    case "next-agent":
      step(1);
      return;
    case "previous-agent":
      step(-1);
      return;
    case "next-waiting":
      nextWaiting();
      return;
    case "stop":
      if (route.value.screen === "agent" && !isReadOnly.value) screenActs.stop?.();
      return;
    case "write":
      document.querySelector<HTMLTextAreaElement>(".message-bar textarea")?.focus();
      return;
  }
}

const here = () => (route.value.screen === "agent" ? route.value.id : null);

function step(by: number): void {
  const all = agents.value;
  if (all.length === 0) return;
  const at = all.findIndex((agent) => agent.id === here());
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length];
  if (next) go(agentUrl(next.id));
}

function nextWaiting(): void {
  const asking = waiting.value;
  const at = asking.findIndex((agent) => agent.id === here());
  const next = asking[(at + 1) % Math.max(1, asking.length)];
  if (next) go(agentUrl(next.id));
  else toast("plain", t("inbox.empty"));
}
