// How much room there is.

import { signal } from "@preact/signals";

/** From here on there is room for two panes. */
const WIDE = "(min-width: 1024px)";

const wide = typeof matchMedia === "undefined" ? null : matchMedia(WIDE);

export const isWide = signal(wide?.matches ?? true);

/** Below this, one thumb holds the page. */
const phone = typeof matchMedia === "undefined" ? null : matchMedia("(max-width: 767px)");

export const isPhone = signal(phone?.matches ?? false);

phone?.addEventListener("change", () => (isPhone.value = phone.matches));
wide?.addEventListener("change", () => (isWide.value = wide.matches));

/** A keyboard on the screen takes at least this much; an address bar takes less. */
const KEYBOARD_PX = 140;

/** Keeps the page as high as what is left above a keyboard on the screen. */
export function followKeyboard(): void {
  const seen = window.visualViewport;
  if (!seen) return;
  let tallest = seen.height;
  const fit = () => {
    // Somebody who zooms in has no keyboard open for that.
    if (seen.scale !== 1) return;
    tallest = Math.max(tallest, seen.height);
    const root = document.documentElement;
    const hasKeyboard = tallest - seen.height > KEYBOARD_PX && matchMedia("(pointer: coarse)").matches;
    root.toggleAttribute("data-keyboard", hasKeyboard);
    if (hasKeyboard) root.style.setProperty("--view-height", `${seen.height}px`);
    else root.style.removeProperty("--view-height");
  };
  seen.addEventListener("resize", fit);
  screen.orientation?.addEventListener("change", () => (tallest = 0));
}
