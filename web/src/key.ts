// The key that goes beside the cookie. Browsers send a cookie to every port of a machine; this stays with the page, which
// shows it to its own hub alone.

import { load, save } from "./state/prefs";

const PLACE = "synapse.key";
/** The protocol the hub speaks, and what stands before the key among those a WebSocket offers. */
const PROTOCOL = "synapse";
const PREFIX = "synapse-key.";

export function keepKey(key: string): void {
  save(PLACE, key);
}

export function forgetKey(): void {
  save(PLACE, "");
}

/** What a request says beside its cookie. */
export function keyHeaders(): Record<string, string> {
  const key = load(PLACE, "");
  return key === "" ? {} : { "X-Synapse-Key": key };
}

/** What a WebSocket offers: a page can add no header to it. */
export function keyProtocols(): string[] {
  const key = load(PLACE, "");
  return key === "" ? [PROTOCOL] : [PROTOCOL, PREFIX + key];
}
