// The conversation's only way out: messages to the extension. It stands in for the page's fetch and WebSocket, so that
// the page's own code runs unchanged, and no secret of the hub is ever here.

import type { FromWebview, ToWebview } from "../messages";

type VsCode = { postMessage(message: FromWebview): void; setState(state: unknown): void };
declare function acquireVsCodeApi(): VsCode;

export const vscode = acquireVsCodeApi();

type Waiting = { answer: (response: Response) => void; fail: (error: Error) => void };
const waiting = new Map<number, Waiting>();
let last = 0;

function relayedFetch(path: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  last += 1;
  const id = last;
  const body = typeof init.body === "string" ? init.body : null;
  return new Promise((answer, fail) => {
    waiting.set(id, { answer, fail });
    vscode.postMessage({ type: "fetch", id, method: init.method ?? "GET", path: String(path), body });
  });
}

/** The extension's live line, as a socket of this conversation. */
class RelayedSocket {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSED = 3;
  static current: RelayedSocket | null = null;
  readyState = RelayedSocket.CONNECTING;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;

  constructor() {
    RelayedSocket.current = this;
    vscode.postMessage({ type: "listen" });
  }

  send(): void {
    // All that the page ever says is that it wants to hear everything anew.
    vscode.postMessage({ type: "listen" });
  }

  close(code = 1000): void {
    if (this.readyState === RelayedSocket.CLOSED) return;
    this.readyState = RelayedSocket.CLOSED;
    if (RelayedSocket.current === this) RelayedSocket.current = null;
    queueMicrotask(() => this.onclose?.({ code }));
  }
}

/** Puts the stand-ins in place and hears the extension. */
export function listenToHost(onStart: (start: Extract<ToWebview, { type: "start" }>) => void): void {
  globalThis.fetch = relayedFetch;
  globalThis.WebSocket = RelayedSocket as unknown as typeof WebSocket;
  window.addEventListener("message", (event: MessageEvent<ToWebview>) => {
    const said = event.data;
    switch (said.type) {
      case "start":
        onStart(said);
        return;
      case "answer": {
        const asked = waiting.get(said.id);
        waiting.delete(said.id);
        if (said.status === 0) asked?.fail(new Error(said.body));
        else asked?.answer(new Response(said.body, { status: said.status, headers: { "Content-Type": "application/json" } }));
        return;
      }
      case "said": {
        const socket = RelayedSocket.current;
        if (!socket) return;
        socket.readyState = RelayedSocket.OPEN;
        socket.onmessage?.({ data: said.text });
        return;
      }
      case "lost":
        // 1001: it will be back.
        RelayedSocket.current?.close(1001);
    }
  });
  vscode.postMessage({ type: "ready" });
}
