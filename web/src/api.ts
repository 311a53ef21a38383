// Every request the page makes. A refusal becomes a Refused with the hub's code; no answer at all becomes NoAnswer.

import { forgetKey, keepKey, keyHeaders } from "./key";
import type {
  Agent, AutoAnswer, Device, Diff, Entry, Explanation, FileText, Former, Found, Mesh, NewRule, Part, Profile, Prompt, Receipt, Repository, Rule,
  Session, Settings, Task, UsageDay, Worktree,
} from "./types";

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly body: Record<string, unknown>,
  ) {
    super(message);
  }
}

/** The request got no answer: the network, or the hub is gone. */
export class NoAnswer extends Error {}

/** Called when the hub says that nobody is logged in. */
export let onLoggedOut: () => void = () => {};
export function whenLoggedOut(act: () => void): void {
  onLoggedOut = act;
}

async function call(method: string, path: string, body?: unknown): Promise<Response> {
  const init: RequestInit = { method, credentials: "same-origin", cache: "no-store", headers: keyHeaders() };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { ...init.headers, "Content-Type": "application/json" };
  }
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    throw new NoAnswer(String(error));
  }
  if (response.ok) return response;
  const said = await readJson(response);
  const code = typeof said["code"] === "string" ? said["code"] : "";
  if (response.status === 401 && code !== "bad_code") onLoggedOut();
  throw new Refused(response.status, code, String(said["error"] ?? response.statusText), said);
}

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  return (await readJson(await call(method, path, body))) as T;
}

/** Uses up a code; the key that comes with the session is kept for every request from then on. */
async function exchange(code: string): Promise<{ session: Session }> {
  const entered = await ask<{ session: Session; key: string }>("POST", "/api/auth/exchange", { code });
  keepKey(entered.key);
  return entered;
}

async function logout(): Promise<void> {
  await ask("POST", "/api/auth/logout");
  forgetKey();
}

async function readJson(response: Response): Promise<Record<string, unknown>> {
  try {
    const said: unknown = await response.json();
    return typeof said === "object" && said !== null ? (said as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function query(pairs: Record<string, string | number | boolean | null | undefined>): string {
  const set = Object.entries(pairs).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const text = new URLSearchParams(set.map(([key, value]) => [key, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}

const part = encodeURIComponent;
const whole = (path: string) => path.split("/").map(encodeURIComponent).join("/");

export type Send = {
  text?: string;
  parts?: Part[];
  mode?: "queue" | "now";
  priority?: number;
  from?: string;
  response?: boolean;
};
export type Level = "stop" | "escape" | "ctrl-c" | "ctrl-d" | "kill";
export type NewWorktree = {
  repository: string;
  branch: string;
  base?: string;
  name?: string;
  agent?: { profile: string; name?: string };
};
export type Interrupted = {
  success: true;
  message: string;
  interrupted: { cliToolId: string; sessionName: string; confirmed: boolean }[];
};
type TaskPage = { tasks: Task[]; next: string | null };

export const api = {
  exchange,
  session: () => ask<{ session: Session }>("GET", "/api/session"),
  logout,
  devices: () => ask<{ devices: Device[] }>("GET", "/api/devices"),
  invite: (readOnly: boolean) =>
    ask<{ code: string; url: string; expires_at: string }>("POST", "/api/devices", { read_only: readOnly }),
  rename: (id: string, name: string) => ask<{ name: string }>("PATCH", `/api/devices/${part(id)}`, { name }),
  revokeOthers: () => ask<{ removed: number }>("DELETE", "/api/devices/others"),
  revoke: (id: string) => ask("DELETE", `/api/devices/${part(id)}`),

  agent: (id: string) => ask<{ agent: Agent }>("GET", `/api/agents/${part(id)}`),
  start: (what: { profile?: string; command?: string; worktree?: string; name?: string; may_answer_itself?: boolean; resume?: string }) =>
    ask<{ agent: Agent }>("POST", "/api/agents", what),
  conversations: (profile: string, worktree: string) =>
    ask<{ conversations: { id: string; last_at: string; begins: string }[] }>(
      "GET",
      `/api/conversations?${new URLSearchParams({ profile, ...(worktree && { worktree }) })}`,
    ),
  end: (id: string) => ask<{ stopped: boolean }>("DELETE", `/api/agents/${part(id)}`),
  send: (id: string, what: Send) => ask<{ task: Task }>("POST", `/api/agents/${part(id)}/send`, what),
  interrupt: (id: string, level: Level) => ask<Receipt>("POST", `/api/agents/${part(id)}/interrupt`, { level }),
  keys: (id: string, keys: string[]) => ask<{ sent: number }>("POST", `/api/agents/${part(id)}/keys`, { keys }),
  answer: (id: string, prompt: Prompt, value: string) =>
    ask<{ answered: boolean }>("POST", `/api/agents/${part(id)}/prompt/${part(prompt.id)}/answer`, {
      value,
      fingerprint: prompt.fingerprint,
    }),
  screen: (id: string, lines: number) =>
    ask<{ text: string }>("GET", `/api/agents/${part(id)}/screen${query({ lines })}`),
  explain: (id: string) => ask<Explanation>("GET", `/api/agents/${part(id)}/explain`),
  messages: (id: string, before?: string | null, limit = 50) =>
    ask<TaskPage>("GET", `/api/agents/${part(id)}/messages${query({ before, limit })}`),

  prompts: () => ask<{ prompts: { name: string; about: string; text: string }[] }>("GET", "/api/prompts"),
  usage: (days: number) => ask<{ days: UsageDay[] }>("GET", `/api/usage${query({ days })}`),
  seeDeath: (agent?: string) => ask("POST", "/api/deaths/seen", { agent }),
  former: () => ask<{ agents: Former[]; total: number }>("GET", "/api/history"),
  formerAgent: (id: string) => ask<{ agent: Former; worktree: string | null }>("GET", `/api/history/${part(id)}`),

  tasks: (filter: { agent?: string; state?: string; before?: string | null; limit?: number }) =>
    ask<TaskPage>("GET", `/api/tasks${query(filter)}`),
  task: (id: string) => ask<{ task: Task }>("GET", `/api/tasks/${part(id)}`),
  input: (id: string, input: string, fingerprint: string) =>
    ask<{ answered: boolean }>("POST", `/api/tasks/${part(id)}/input`, { input, fingerprint }),
  cancel: (id: string) => ask<{ task: Task }>("POST", `/api/tasks/${part(id)}/cancel`),

  repositories: () => ask<{ repositories: Repository[] }>("GET", "/api/worktrees"),
  worktree: (id: string) => ask<{ worktree: Worktree }>("GET", `/api/worktrees/${part(id)}`),
  createWorktree: (what: NewWorktree) =>
    ask<{ worktree: Worktree; agent: Agent | null; agent_error?: string }>("POST", "/api/worktrees", what),
  interruptWorktree: (id: string) => ask<Interrupted>("POST", `/api/worktrees/${part(id)}/interrupt`),
  diff: (id: string, against: string, path?: string) =>
    ask<Diff>("GET", `/api/worktrees/${part(id)}/diff${query({ against, path })}`),
  merge: (id: string, what: { into?: string; commit?: string; message?: string }) =>
    ask<{ into: string; commit: string; fast_forward: boolean }>("POST", `/api/worktrees/${part(id)}/merge`, what),
  removeWorktree: (id: string, how: Record<string, string | number | boolean>) =>
    ask<{ removed: boolean; branch_deleted: boolean }>("DELETE", `/api/worktrees/${part(id)}${query(how)}`),
  tree: (id: string, path: string) =>
    ask<{ path: string; entries: Entry[] }>("GET", `/api/worktrees/${part(id)}/tree${query({ path })}`),
  file: (id: string, path: string) => ask<FileText>("GET", `/api/worktrees/${part(id)}/files/${whole(path)}`),
  /** The bytes of a file. A link would not show the key. */
  fileBytes: async (id: string, path: string) =>
    (await call("GET", `/api/worktrees/${part(id)}/files/${whole(path)}?raw=true`)).blob(),

  mesh: () => ask<Mesh>("GET", "/api/mesh"),
  search: (q: string) => ask<Found>("GET", `/api/search${query({ q, limit: 20 })}`),
  profiles: () => ask<{ profiles: Profile[] }>("GET", "/api/profiles"),
  settings: () => ask<Settings>("GET", "/api/settings"),
  autoAnswer: () => ask<AutoAnswer>("GET", "/api/auto-answer"),
  switchAutoAnswer: (enabled: boolean) => ask<AutoAnswer>("POST", "/api/auto-answer", { enabled }),
  addRule: (rule: NewRule) => ask<{ rule: Rule }>("POST", "/api/auto-answer/rules", rule),
  removeRule: (id: string) => ask("DELETE", `/api/auto-answer/rules/${part(id)}`),
};
