// What lies over the page at the moment: one thing at a time.

import { signal } from "@preact/signals";

export type Overlay = { name: "palette" | "help" | "new-agent" | "drawer"; worktree?: string };

export const overlay = signal<Overlay | null>(null);

export const openPalette = () => (overlay.value = { name: "palette" });
export const openHelp = () => (overlay.value = { name: "help" });
export const openDrawer = () => (overlay.value = { name: "drawer" });
export const openNewAgent = (worktree?: string) => (overlay.value = worktree ? { name: "new-agent", worktree } : { name: "new-agent" });
export const closeOverlay = () => (overlay.value = null);
