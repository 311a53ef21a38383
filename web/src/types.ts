// What goes over the wire between the hub and the page. docs/hub-api.md is its manual.

export type Status = "starting" | "working" | "waiting" | "stopping" | "idle" | "failed" | "stopped";

export type TaskState =
  | "submitted"
  | "working"
  | "input_required"
  | "completed"
  | "failed"
  | "canceled"
  | "rejected";

export type Session = { device: string | null; name: string; read_only: boolean };

export type Device = {
  id: string;
  name: string;
  read_only: boolean;
  created_at: string;
  last_seen_at: string;
  current: boolean;
};

export type PromptKind = "confirmation" | "selection" | "permission" | "text" | "password" | "unknown";

export type Prompt = {
  id: string;
  fingerprint: string;
  kind: PromptKind;
  question: string;
  options: { label: string; key: string }[];
  selected: number | null;
  default: string | number | null;
  since: string;
};

export type TaskLine = {
  id: string;
  agent: string;
  from: string | null;
  priority: number | null;
  state: TaskState;
  text: string;
  at: string;
  updated_at: string;
};

export type Agent = {
  id: string;
  handle: string;
  profile: string;
  dir: string;
  worktree: string;
  branch: string | null;
  pid: number;
  port: number;
  version: string;
  started_at: string | null;
  status: Status;
  since: string;
  evidence: string;
  queue: number;
  prompt: Prompt | null;
  task: TaskLine | null;
};

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

export type Task = {
  id: string;
  context_id: string;
  agent: string | null;
  handle: string | null;
  sender: string | null;
  priority: number | null;
  status: { state: TaskState; message: unknown; error: Failure | null; timestamp: string };
  message: { role: string; parts: Part[] };
  artifacts: Artifact[];
  reply: string | null;
  source: string | null;
  created_at: string;
  updated_at: string;
};

export type Receipt = { sent: string | null; was: Status; now: Status; confirmed: boolean };

export type Worktree = {
  id: string;
  repository: string;
  path: string;
  name: string;
  main: boolean;
  branch: string | null;
  head: string | null;
  locked: boolean;
  missing: boolean;
  dirty: number;
  untracked: number;
  base: string | null;
  ahead: number;
  behind: number;
  agents: string[];
  bytes?: number | null;
};

export type Repository = {
  id: string;
  name: string;
  path: string;
  git: boolean;
  default_branch: string | null;
  branches: string[];
  worktrees: Worktree[];
};

export type DiffFile = {
  path: string;
  old_path: string | null;
  status: "added" | "modified" | "deleted" | "renamed" | "untracked";
  additions: number;
  deletions: number;
  binary: boolean;
  patch: string;
  truncated: boolean;
};

export type Diff = {
  against: string;
  additions: number;
  deletions: number;
  truncated: boolean;
  files: DiffFile[];
};

export type Entry = { name: string; kind: "dir" | "file" | "link" | "other"; size: number; modified: string };

export type FileText = {
  path: string;
  size: number;
  modified: string;
  binary: boolean;
  truncated: boolean;
  text: string | null;
};

export type Node = {
  id: string;
  kind: "agent" | "person" | "external";
  handle: string;
  profile: string | null;
  status: Status | null;
  card: unknown;
};

export type Edge = {
  from: string;
  to: string;
  count: number;
  live: number;
  last_at: string;
  last_task: string;
};

export type Mesh = { nodes: Node[]; edges: Edge[]; tasks: TaskLine[] };

export type Profile = { name: string; command: string[]; source: "built-in" | "yours"; installed: boolean };

export type Settings = {
  hub: { version: string; started_at: string; dir: string; address: string; roots: string[] };
  session: Session;
  profiles: Profile[];
};

export type Found = {
  agents: Agent[];
  tasks: { task: TaskLine; snippet: string }[];
  files: { worktree: string; path: string }[];
  worktrees: { id: string; name: string; branch: string | null }[];
};

export type Hello = {
  type: "hello";
  seq: number;
  boot: string;
  session: Session;
  agents: Agent[];
  edges: Edge[];
};

export type TaskEvent = {
  type: "task";
  agent: string;
  task: string;
  number: number;
  event: "status" | "artifact" | "message";
  data: Record<string, unknown>;
};

export type Change =
  | { type: "agent.added" | "agent.changed"; agent: Agent }
  | { type: "agent.removed"; id: string; handle: string; reason: "stopped" | "died" }
  | { type: "prompt.opened"; agent: string; prompt: Prompt }
  | { type: "prompt.closed"; agent: string; id: string; answer: { value: string; by: string } | null }
  | TaskEvent
  | { type: "mesh.edge"; edge: Edge }
  | { type: "worktrees" };

export type Delta = { seq: number; at: string } & Change;
export type Beat = { type: "beat"; seq: number };
export type Said = Hello | Delta | Beat;
