// How much room there is.

import { signal } from "@preact/signals";

/** From here on there is room for two panes. */
const WIDE = "(min-width: 1024px)";

const wide = typeof matchMedia === "undefined" ? null : matchMedia(WIDE);

export const isWide = signal(wide?.matches ?? true);

wide?.addEventListener("change", () => (isWide.value = wide.matches));
