// The extension's hold of the hub: one login, one line, what it knows of the agents, and every request. Nothing of it
// needs the editor, so that it can be tested against a real hub.

import { EventEmitter } from "node:events";
import { emptyWorld, step, type World } from "../../../web/src/state/fold";
import type { Agent, Delta, Said } from "../../../web/src/types";
import { Line } from "./line";
import { enter, findBinary, headersOf, NoBinary, NoHub, OwnHub, type Login, type SecretPlace } from "./login";
import { request } from "./request";

/** `asleep`: nobody serves the page, and nothing was asked of us yet. */
export type HubState = "asleep" | "connecting" | "open" | "missing" | "failed";

export class Refused extends Error {
  constructor(readonly status: number, readonly code: string, message: string, readonly body: Record<string, unknown>) {
    super(message);
  }
}

type Events = {
  state: [HubState];
  /** Something of the agents is another. */
  changed: [];
  applied: [Delta];
  /** A message as the hub sent it, once it was taken in. */
  said: [Said, string];
  lost: [];
};

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

export class Hub extends EventEmitter<Events> {
  state: HubState = "asleep";
  world: World = emptyWorld;
  private login: Login | null = null;
  private line: Line | null = null;
  private entering: Promise<Login> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private tries = 0;
  private isOver = false;
  private isWanted = false;
  private readonly own = new OwnHub();

  constructor(
    private readonly path: () => string,
    private readonly secrets: SecretPlace,
    private readonly log: (line: string) => void,
  ) {
    super();
  }

  get agents(): Agent[] {
    return [...this.world.agents.values()];
  }

  /** Where it is served, while we are in. */
  get url(): string | null {
    return this.login?.url ?? null;
  }

  binary(): string {
    return findBinary(this.path());
  }

  /** Somebody looks, or wants something done: from now on a hub is started where there is none. */
  want(): void {
    this.isWanted = true;
    if (this.state === "asleep" || this.state === "failed" || this.state === "missing") this.connect();
  }

  /** Follows the hub from now on. */
  connect(): void {
    clearTimeout(this.timer);
    this.line?.close();
    this.line = null;
    this.turn("connecting");
    this.enter().then(
      (login) => {
        if (this.isOver) return;
        this.line = new Line(login, { said: (text) => this.hear(text), lost: (why) => this.lose(why) });
      },
      (error: unknown) => this.fail(error),
    );
  }

  async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, text } = await this.relay(method, path, body === undefined ? null : JSON.stringify(body));
    const said = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
    if (status >= 200 && status < 300) return said as T;
    throw new Refused(status, String(said["code"] ?? ""), String(said["error"] ?? status), said);
  }

  /** A request as it is. A login that is no longer good is renewed once. */
  async relay(method: string, path: string, body: string | null): Promise<{ status: number; text: string }> {
    this.isWanted = true;
    for (let isAgain = false; ; isAgain = true) {
      const login = this.login ?? (await this.enter());
      const headers = { ...headersOf(login), ...(body === null ? {} : { "Content-Type": "application/json" }) };
      const reply = await request(login, method, path, headers, body);
      if (reply.status !== 401 || isAgain) return { status: reply.status, text: reply.body };
      this.login = null;
    }
  }

  end(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    this.line?.close();
    this.own.end();
  }

  private enter(): Promise<Login> {
    const start = this.isWanted ? () => this.own.start(this.binary(), this.log) : null;
    this.entering ??= Promise.resolve()
      .then(() => enter(this.binary(), this.secrets, start))
      .then((login) => (this.login = login))
      .finally(() => (this.entering = null));
    return this.entering;
  }

  private hear(text: string): void {
    const said = JSON.parse(text) as Said;
    const { world, applied, isGap } = step(this.world, said);
    this.world = world;
    if (isGap) this.line?.resync();
    if (said.type === "hello") {
      this.tries = 0;
      this.turn("open");
    }
    if (applied) this.emit("applied", applied);
    if (applied || said.type !== "beat") this.emit("changed");
    this.emit("said", said, text);
  }

  private lose(why: string): void {
    this.log(`the line to the hub was lost: ${why}`);
    this.line = null;
    this.login = null;
    this.emit("lost");
    this.turn("connecting");
    this.again();
  }

  private fail(error: unknown): void {
    if (this.isOver) return;
    const isAsleep = error instanceof NoHub && !this.isWanted;
    if (!isAsleep) this.log(String(error instanceof Error ? error.message : error));
    this.world = { ...this.world, isBehind: true };
    this.turn(error instanceof NoBinary ? "missing" : isAsleep ? "asleep" : "failed");
    if (this.state === "failed") this.again();
  }

  private again(): void {
    if (this.isOver) return;
    this.timer = setTimeout(() => this.connect(), Math.min(FIRST_WAIT_MS * 2 ** this.tries, LONGEST_WAIT_MS));
    this.tries += 1;
  }

  private turn(state: HubState): void {
    if (this.state === state) return;
    this.state = state;
    this.emit("state", state);
  }
}
