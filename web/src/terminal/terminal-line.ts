// The line that carries an agent's screen to the page and keys back. Connects again when it breaks.

import { keyProtocols } from "../key";
import { backoff } from "../state/line";

export type Heard = {
  /** The first bytes of a connection paint the whole screen. */
  onBytes: (bytes: Uint8Array, isFirst: boolean) => void;
  onSize: (cols: number, rows: number) => void;
  onState: (state: "open" | "lost" | "ended") => void;
};

export type TerminalLine = { keys: (text: string) => void; takeSize: (cols: number, rows: number) => void; close: () => void };

const ENDED = new Set([4404, 4401]);

export function openTerminalLine(agent: string, heard: Heard): TerminalLine {
  const encoder = new TextEncoder();
  let socket: WebSocket | null = null;
  let tries = 0;
  let timer = 0;
  let isClosed = false;

  const connect = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const url = `${scheme}://${location.host}/api/agents/${encodeURIComponent(agent)}/terminal`;
    const opened = new WebSocket(url, keyProtocols());
    opened.binaryType = "arraybuffer";
    socket = opened;
    let isFirst = true;
    opened.onopen = () => heard.onState("open");
    opened.onmessage = (event) => {
      tries = 0;
      if (typeof event.data === "string") {
        const size = sizeIn(event.data);
        if (size) heard.onSize(...size);
        return;
      }
      heard.onBytes(new Uint8Array(event.data as ArrayBuffer), isFirst);
      isFirst = false;
    };
    opened.onclose = (event) => {
      if (isClosed) return;
      if (ENDED.has(event.code)) {
        heard.onState("ended");
        return;
      }
      heard.onState("lost");
      timer = window.setTimeout(connect, backoff(tries));
      tries += 1;
    };
  };
  connect();
  const isOpen = () => socket?.readyState === WebSocket.OPEN;
  return {
    keys: (text) => {
      if (isOpen()) socket?.send(encoder.encode(text));
    },
    takeSize: (cols, rows) => {
      if (isOpen()) socket?.send(JSON.stringify({ resize: [cols, rows] }));
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      socket?.close();
    },
  };
}

export function sizeIn(text: string): [number, number] | null {
  try {
    const { size } = JSON.parse(text) as { size?: unknown };
    if (!Array.isArray(size)) return null;
    const [cols, rows] = size as unknown[];
    const isWhole = (n: unknown): n is number => Number.isInteger(n) && (n as number) > 0 && (n as number) < 2_000;
    return isWhole(cols) && isWhole(rows) ? [cols, rows] : null;
  } catch {
    return null;
  }
}
