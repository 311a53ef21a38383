// The address somebody asked for and was shown the login instead. The link that lets them in leads to the front page;
// they wanted to be elsewhere.

import { load, save } from "./prefs";
import { go } from "./route";

const KEY = "synapse.asked";
/** A link lasts half as long. */
const LASTS_MS = 10 * 60_000;

type Asked = { address: string; at: number };

export function keepAsked(): void {
  const address = location.pathname + location.search;
  if (address !== "/") save(KEY, { address, at: Date.now() } satisfies Asked);
}

/** Opens it, once, for whoever has just come in by the front page. */
export function openAsked(): void {
  const asked = load<Asked | null>(KEY, null);
  save(KEY, null);
  if (asked && location.pathname === "/" && Date.now() - asked.at < LASTS_MS) go(asked.address, "replace");
}
