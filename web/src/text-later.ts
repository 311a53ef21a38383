// The words of what is loaded later: in both languages at once, since nobody waits for them. Only lazy parts use these.

import { prefs } from "./state/prefs";
import en from "./text/later-en.json";
import ja from "./text/later-ja.json";

export type LaterKey = keyof typeof en;

/** The text of a key, with `{name}` filled in. */
export function tl(key: LaterKey, values: Record<string, string | number> = {}): string {
  const text = (prefs.value.language === "ja" ? ja : en)[key];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
