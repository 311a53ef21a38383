// The live line to the hub: connects, listens, notices silence, connects again. Owns one WebSocket.

import { signal } from "@preact/signals";
import { keyProtocols } from "../key";
import type { Said } from "../types";

export type LineState = "connecting" | "open" | "lost";

export const lineState = signal<LineState>("connecting");

/** Beats come every 15 s, so this much silence means sleep or a dead network. */
const SILENCE_MS = 40_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
/** The session ended. */
const LOGGED_OUT = 4401;

/** How long to wait before the next try: 0.5 s, 1 s, 2 s … 10 s. */
export function backoff(tries: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS);
}

export type Line = { resync(): void; close(): void };

export function openLine(onSaid: (said: Said) => void, onLoggedOut: () => void): Line {
  let socket: WebSocket | null = null;
  let tries = 0;
  let timer = 0;
  let isClosed = false;

  const watchSilence = () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => socket?.close(), SILENCE_MS);
  };
  const again = () => {
    if (isClosed) return;
    lineState.value = "lost";
    clearTimeout(timer);
    timer = window.setTimeout(connect, backoff(tries));
    tries += 1;
  };
  const connect = () => {
    if (isClosed) return;
    const opened = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/ws`, keyProtocols());
    socket = opened;
    watchSilence();
    opened.onmessage = (event) => {
      if (opened !== socket || typeof event.data !== "string") return;
      watchSilence();
      const said = parse(event.data);
      if (!said) return;
      if (said.type === "hello") {
        tries = 0;
        lineState.value = "open";
      }
      onSaid(said);
    };
    opened.onclose = (event) => {
      if (opened !== socket) return;
      socket = null;
      if (event.code === LOGGED_OUT) onLoggedOut();
      else again();
    };
  };
  const onBack = () => {
    if (document.visibilityState !== "visible") return;
    if (socket?.readyState === WebSocket.OPEN) resync();
    else if (!socket) {
      tries = 0;
      clearTimeout(timer);
      connect();
    }
  };
  const resync = () => {
    if (socket?.readyState === WebSocket.OPEN) socket.send('{"type":"resync"}');
  };
  // A dead network is told at once; the socket would take its time to notice.
  const onOffline = () => {
    const lost = socket;
    socket = null;
    lost?.close();
    again();
  };
  document.addEventListener("visibilitychange", onBack);
  window.addEventListener("online", onBack);
  window.addEventListener("offline", onOffline);
  connect();
  return {
    resync,
    close() {
      isClosed = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onBack);
      window.removeEventListener("online", onBack);
      window.removeEventListener("offline", onOffline);
      socket?.close();
      socket = null;
    },
  };
}

function parse(text: string): Said | null {
  try {
    const said: unknown = JSON.parse(text);
    return typeof said === "object" && said !== null && "type" in said ? (said as Said) : null;
  } catch {
    return null;
  }
}
