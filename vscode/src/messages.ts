// What the extension and a conversation say to each other.

import type { Language } from "../../web/src/state/prefs";

export type ToWebview =
  | { type: "start"; agent: string; language: Language }
  /** `status` 0: there was no answer, and `body` says why. */
  | { type: "answer"; id: number; status: number; body: string }
  /** A message of the live line, as the hub sent it. */
  | { type: "said"; text: string }
  | { type: "lost" };

export type FromWebview =
  | { type: "ready" }
  | { type: "listen" }
  | { type: "fetch"; id: number; method: string; path: string; body: string | null }
  /** A link of the page was followed. */
  | { type: "open"; href: string };
