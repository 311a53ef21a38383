// The one WebSocket to the hub. It says what the hub said, and when it was lost; who owns it connects again.

import WebSocket from "ws";
import { headersOf, type Login } from "./login";
import { trust } from "./request";

/** Beats come every 15 s, so this much silence means a dead line. */
const SILENCE_MS = 40_000;

export type LineEvents = { said(text: string): void; lost(why: string): void };

export class Line {
  private readonly socket: WebSocket;
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;

  constructor(login: Login, private readonly events: LineEvents) {
    const url = new URL("/api/ws", login.url);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(url, ["synapse", `synapse-key.${login.key}`], { headers: headersOf(login), ...trust(login) });
    this.socket.on("message", (data, isBinary) => {
      this.watchSilence();
      if (!isBinary) events.said(data.toString());
    });
    this.socket.on("error", (error) => this.end(error.message));
    this.socket.on("close", (code) => this.end(`closed with ${code}`));
    this.watchSilence();
  }

  resync(): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send('{"type":"resync"}');
  }

  close(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    this.socket.terminate();
  }

  private watchSilence(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end("nothing was heard for 40 s"), SILENCE_MS);
  }

  private end(why: string): void {
    if (this.isOver) return;
    this.close();
    this.events.lost(why);
  }
}
