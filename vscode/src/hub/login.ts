// Finds the hub, starts it where nobody else has, and logs in. The secret goes into the editor's SecretStorage and
// nowhere else.

import { execFile, spawn, type ChildProcess } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { request, type Place } from "./request";

/** A one-time code, and where it is good. */
type Offer = Place & { code: string };
/** What lets us in. `secret` is the value of the cookie. */
export type Secret = { secret: string; key: string };
export type Login = Place & Secret;

/** Where secrets are kept: the editor's SecretStorage. */
export type SecretPlace = { get(key: string): PromiseLike<string | undefined>; store(key: string, value: string): PromiseLike<void> };

/** The binary is not there. */
export class NoBinary extends Error {}
/** Nobody serves the page, and it was not to be started. */
export class NoHub extends Error {}

const KEPT_AS = "synapse.login";
/** A command that takes longer than this does not end. */
const PATIENCE_MS = 20_000;

/** A name is looked for where editors that were not started from a shell do not look. */
export function findBinary(configured: string, path = process.env["PATH"] ?? "", home = homedir()): string {
  const named = configured.trim().replace(/^~(?=\/)/, home) || "synapse";
  if (named.includes("/")) return named;
  const folders = [...path.split(":").filter(Boolean), join(home, ".local/bin"), join(home, ".cargo/bin")];
  const found = folders.map((folder) => join(folder, named)).find(isExecutable);
  if (!found) throw new NoBinary(`there is no ${named} on the PATH, in ~/.local/bin or ~/.cargo/bin`);
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The hub that runs. */
async function running(binary: string): Promise<Offer> {
  const { error, stdout, stderr } = await new Promise<{ error: Error | null; stdout: string; stderr: string }>((done) =>
    execFile(binary, ["web", "login", "--json"], { timeout: PATIENCE_MS }, (error, stdout, stderr) => done({ error, stdout, stderr })),
  );
  if (!error) return JSON.parse(stdout) as Offer;
  if ("code" in error && error.code === "ENOENT") throw new NoBinary(`${binary} cannot be run`);
  throw new NoHub(stderr.trim() || error.message);
}

/** A hub of our own, until `end` is called. */
export class OwnHub {
  private child: ChildProcess | null = null;

  /** Starts one on a free port and waits until it is served. */
  async start(binary: string, say: (line: string) => void): Promise<void> {
    const child = spawn(binary, ["web", "--port", "0"], { cwd: homedir(), stdio: ["ignore", "pipe", "pipe"] });
    this.child = child;
    const complaints: string[] = [];
    createInterface({ input: child.stderr }).on("line", (line) => {
      complaints.push(line);
      // The link is for a browser; here it would only be a secret in a log.
      if (!line.includes("#code=")) say(line);
    });
    await new Promise<void>((served, failed) => {
      const late = setTimeout(() => failed(new Error("the hub did not begin to serve in time")), PATIENCE_MS);
      createInterface({ input: child.stdout }).once("line", () => served());
      child.once("error", failed);
      child.once("exit", () => failed(new Error(complaints.at(-1) ?? "the hub ended")));
      const over = () => clearTimeout(late);
      child.once("exit", over);
      child.stdout.once("data", over);
    });
  }

  /** Agents go on without it. */
  end(): void {
    this.child?.kill("SIGTERM");
    this.child = null;
  }
}

/** How a request shows who we are. */
export function headersOf(login: Login): Record<string, string> {
  const { port, origin } = new URL(login.url);
  return { Cookie: `synapse_${port}=${login.secret}`, "X-Synapse-Key": login.key, Origin: origin };
}

/** The hub that runs, or one that `start` starts; and a login there that is known to be good. */
export async function enter(binary: string, secrets: SecretPlace, start: (() => Promise<void>) | null): Promise<Login> {
  const offer = await running(binary).catch(async (error: unknown) => {
    if (!(error instanceof NoHub) || !start) throw error;
    // Another window may have been quicker; then there is one now.
    const problem = await start().then(() => null, (why: Error) => why);
    return running(binary).catch((still: unknown) => Promise.reject(problem ?? still));
  });
  const kept = await secrets.get(KEPT_AS);
  if (kept !== undefined) {
    const login: Login = { ...offer, ...(JSON.parse(kept) as Secret) };
    const { status } = await request(login, "GET", "/api/session", headersOf(login), null);
    if (status === 200) return login;
  }
  const secret = await exchange(offer);
  await secrets.store(KEPT_AS, JSON.stringify(secret));
  return { url: offer.url, certificate: offer.certificate, ...secret };
}

async function exchange(offer: Offer): Promise<Secret> {
  const body = JSON.stringify({ code: offer.code, name: `VS Code on ${hostname()}` });
  const reply = await request(offer, "POST", "/api/auth/exchange", { "Content-Type": "application/json" }, body);
  if (reply.status !== 200) throw new Error(`the hub refused the login: ${reply.body}`);
  const { key } = JSON.parse(reply.body) as { key: string };
  return { secret: cookieOf(reply.headers["set-cookie"] ?? []), key };
}

/** The value of the session's cookie. */
export function cookieOf(lines: string[]): string {
  for (const line of lines) {
    const value = /^synapse_\d+=([^;]+)/.exec(line)?.[1];
    if (value !== undefined) return value;
  }
  throw new Error("the hub set no cookie");
}
