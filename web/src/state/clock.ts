// One clock for all "since" texts of the page; it rests while nobody looks.

import { signal } from "@preact/signals";

export const now = signal(Date.now());

const TICK_MS = 5_000;

export function startClock(): void {
  const tick = () => {
    if (document.visibilityState === "visible") now.value = Date.now();
  };
  window.setInterval(tick, TICK_MS);
  document.addEventListener("visibilitychange", tick);
}
