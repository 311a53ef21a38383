// What this browser remembers about its user's taste. Nothing here leaves the browser.

import { computed, effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
export type Language = "en" | "ja";

export type Prefs = {
  theme: Theme;
  language: Language;
  escStops: boolean;
  letterKeys: boolean;
  sound: boolean;
  /** This browser is called through its service worker. */
  notices: boolean;
  terminalForReaders: boolean;
  railClosed: boolean;
  split: number;
};

const KEY = "synapse.prefs";

const usual: Prefs = {
  theme: "system",
  language: typeof navigator !== "undefined" && navigator.language?.startsWith("ja") ? "ja" : "en",
  escStops: true,
  letterKeys: true,
  sound: false,
  notices: false,
  terminalForReaders: false,
  railClosed: false,
  split: 0.44,
};

export const prefs = signal<Prefs>({ ...usual, ...load<Partial<Prefs>>(KEY, {}) });

export function prefer(change: Partial<Prefs>): void {
  prefs.value = { ...prefs.value, ...change };
  save(KEY, prefs.value);
}

const prefersDark = typeof matchMedia === "undefined" ? null : matchMedia("(prefers-color-scheme: dark)");
const isSystemDark = signal(prefersDark?.matches ?? false);
prefersDark?.addEventListener("change", () => (isSystemDark.value = prefersDark.matches));

/** Whether the page is dark, by choice or as the system is. */
export const isDark = computed(() => (prefs.value.theme === "system" ? isSystemDark.value : prefs.value.theme === "dark"));

/** Keeps the document's look and language what was chosen. */
export function wearPrefs(): void {
  effect(() => {
    const { theme, language } = prefs.value;
    document.documentElement.lang = language;
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  });
}

/** Storage may be full, forbidden or spoiled; none of that may stop the page. */
export function load<T>(key: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(key);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

export function save(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The choice lasts as long as the page.
  }
}
