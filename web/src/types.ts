// What goes over the wire between the hub and the page. docs/hub-api.md is its manual. Shapes come from the Rust types
// (generated/hub.ts, checked by a test there); what the hub passes on from agents, or makes by hand, is described here.

import type * as hub from "./generated/hub";

export type { Agent, Death, Device, Diff, DiffFile, Edge, Entry, Former, Node, Prompt, Receipt, Rule, Session, Status, TaskLine, TurnUsage, Used } from "./generated/hub";

export type TaskState = hub.TaskLine["state"];
export type PromptKind = hub.Prompt["kind"];
export type RuleKind = hub.Rule["kind"];
export type Worktree = hub.Worktree & { bytes?: number | null };
export type Repository = Omit<hub.Repository, "worktrees"> & { worktrees: Worktree[] };
export type FileText = hub.Contents;

export type Part = {
  type: string;
  text?: string;
  data?: unknown;
  file?: { name?: string; mimeType?: string; bytes?: string; uri?: string };
};

export type Artifact = {
  type: string;
  name?: string;
  parts?: Part[];
  metadata?: { language?: string; path?: string; isError?: boolean; errorCode?: string };
};

export type Asked = {
  type: string;
  prompt: string;
  options: string[];
  default: string | number | null;
  fingerprint: string;
};

export type Failure = { code: string; message: string };

export type Step = {
  id: string;
  kind: "command" | "edit" | "read" | "search" | "fetch" | "agent" | "thought" | "tool";
  /** The tool, and what it was used on; a thought has neither. */
  tool?: string;
  subject?: string;
  state: "running" | "ok" | "failed" | "refused" | "unknown";
  duration_ms?: number;
  edit?: { path: string; added: number; removed: number; diff?: string };
  /** The words of a thought. */
  text?: string;
};

/** Somebody answered the agent's question, or stopped it. */
export type Act = { at: string; what: "answered" | "stopped"; value?: string; by?: string; rule?: string };

export type Moment = { state: TaskState; at: string };

export type Task = {
  id: string;
  context_id: string;
  /** Its agent while that runs. */
  agent: string | null;
  /** Its agent, also when that is gone. */
  owner: string;
  handle: string | null;
  /** When the run of the agent began that had it; the live line does not tell. */
  run?: string | null;
  sender: string;
  priority: number;
  status: { state: TaskState; message: unknown; error: Failure | null; timestamp: string };
  message: { role: string; parts: Part[] };
  artifacts: Artifact[];
  reply: string | null;
  source: string | null;
  /** Its beginning had left the screen before it could be read. */
  truncated?: boolean;
  /** What the agent did on the way. */
  steps?: Step[];
  acts?: Act[];
  /** What it took, where the program writes that down. */
  usage?: hub.TurnUsage;
  created_at: string;
  updated_at: string;
  /** How it came to stand so; lists leave it out. */
  history?: Moment[];
};

export type Mesh = { nodes: hub.Node[]; edges: hub.Edge[]; tasks: hub.TaskLine[] };

/** How an agent's screen is read: which row was taken for what, and why. */
export type Explanation = {
  witnesses: { witness: string; says: string }[];
  rows: { text: string; part: string; why: string }[];
};

export type Profile = { name: string; command: string[]; source: "built-in" | "yours"; installed: boolean };

export type Settings = {
  hub: { version: string; started_at: string; dir: string; address: string; roots: string[] };
  session: hub.Session;
  profiles: Profile[];
};

export type NewRule = { profile?: string; agent?: string; kind: RuleKind; contains: string; choose: string };
export type AutoAnswer = { enabled: boolean; rules: hub.Rule[]; used: hub.Used[]; resting: string[]; in_a_row: number };

export type Found = {
  agents: hub.Agent[];
  former: hub.Former[];
  tasks: { task: hub.TaskLine; snippet: string }[];
  files: { worktree: string; path: string }[];
  worktrees: { id: string; name: string; branch: string | null }[];
};

export type Hello = {
  type: "hello";
  seq: number;
  boot: string;
  session: hub.Session;
  agents: hub.Agent[];
  edges: hub.Edge[];
  deaths: hub.Death[];
};

export type UsageDay = {
  day: string;
  agent: string;
  handle: string;
  profile: string;
  model: string | null;
  turns: number;
  tokens: { input: number; cached: number; cache_written: number; output: number };
  cost_usd: number | null;
  cost_is_partial: boolean;
};

export type TaskEvent = {
  type: "task";
  agent: string;
  task: string;
  number: number;
  event: "status" | "artifact" | "message" | "step" | "act";
  data: Record<string, unknown>;
};

export type Change =
  | { type: "agent.added" | "agent.changed"; agent: hub.Agent }
  | { type: "agent.removed"; id: string; handle: string; reason: hub.Gone; how: string | null }
  | { type: "prompt.opened"; agent: string; prompt: hub.Prompt }
  | { type: "prompt.closed"; agent: string; id: string; answer: hub.Answer | null }
  | TaskEvent
  | { type: "mesh.edge"; edge: hub.Edge }
  | { type: "deaths"; deaths: hub.Death[] }
  | { type: "worktrees" }
  | { type: "auto-answer" };

export type Delta = { seq: number; at: string } & Change;
export type Beat = { type: "beat"; seq: number };
export type Said = Hello | Delta | Beat;
