// Made from the Rust types by crates/synapse-hub/src/typescript.rs; do not edit.

export type Status = "starting" | "working" | "waiting" | "stopping" | "idle" | "failed" | "stopped" | "away";

export type Agent = { id: string, handle: string, profile: string, dir: string, 
/**
 * The other machine of the mesh that it is on.
 */
machine: string | null, 
/**
 * When that machine was last seen, if it is away.
 */
seen: string | null, 
/**
 * The worktree, or plain folder, it works in.
 */
worktree: string, branch: string | null, 
/**
 * The folder of the repository that worktree belongs to.
 */
repository: string | null, pid: number, port: number, version: string, 
/**
 * Whether it has a terminal; one that is reached by ACP has none.
 */
has_terminal: boolean, started_at: string | null, status: Status, since: string, evidence: string, queue: number, 
/**
 * Why tasks wait although it is idle.
 */
held: string | null, 
/**
 * Who tells of the steps of a turn, `hook`, `acp` or `record`; nobody where the screen is all there is.
 */
steps_from: string | null, prompt: Prompt | null, task: TaskLine | null, 
/**
 * What the last turn took that anything is known of.
 */
usage: TurnUsage | null, };

export type Former = { 
/**
 * The agent's id and its name, since agents of several names may have had one id.
 */
id: string, handle: string, profile: string, dir: string, 
/**
 * How many of its tasks are kept.
 */
tasks: number, 
/**
 * When something last happened to one of them.
 */
last_at: string, 
/**
 * Of what its last run died, if it did.
 */
died: string | null, };

export type Prompt = { 
/**
 * One opening of the question: the same one asked again has another.
 */
id: string, since: string, fingerprint: string, kind: "confirmation" | "selection" | "permission" | "text" | "password" | "unknown", question: string, 
/**
 * What the dialog says beside the question: the command or file it is about.
 */
detail: string, 
/**
 * What would be done, where that is known by itself.
 */
call?: { tool: string, input: string, cwd?: string, is_complete: boolean }, options: Array<Choice>, selected: number | null, default: string | number | null, };

export type Asked = { fingerprint: string, kind: "confirmation" | "selection" | "permission" | "text" | "password" | "unknown", question: string, 
/**
 * What the dialog says beside the question: the command or file it is about.
 */
detail: string, 
/**
 * What would be done, where that is known by itself.
 */
call?: { tool: string, input: string, cwd?: string, is_complete: boolean }, options: Array<Choice>, selected: number | null, default: string | number | null, };

export type Choice = { label: string, key: string, };

export type TaskLine = { id: string, agent: string, 
/**
 * Who was asked: `@codex`.
 */
to: string, 
/**
 * Who asked: `@claude`, or `user`.
 */
from: string, priority: number, state: "submitted" | "working" | "input_required" | "completed" | "failed" | "canceled" | "rejected", text: string, at: string, updated_at: string, };

export type Edge = { from: string, to: string, count: number, 
/**
 * Those that are not over.
 */
live: number, last_at: string, last_task: string, };

export type Node = { 
/**
 * `@codex`, or the name of a person.
 */
id: string, kind: NodeKind, handle: string, agent: string | null, profile: string | null, status: Status | null, card: unknown, };

export type NodeKind = "agent" | "person" | "external";

export type Receipt = { 
/**
 * The key that was pressed; nothing where nothing was running.
 */
sent: string | null, was: Status, now: Status, 
/**
 * Nothing runs there any more.
 */
confirmed: boolean, };

export type Session = { 
/**
 * Nothing for a bearer token.
 */
device: string | null, name: string, read_only: boolean, };

export type Device = { id: string, name: string, read_only: boolean, created_at: string, last_seen_at: string, 
/**
 * Where it was last seen; `proxy` where one is between.
 */
address: string | null, 
/**
 * The one that asks.
 */
current: boolean, };

export type Death = { 
/**
 * The run that died.
 */
run: string, 
/**
 * The id of the agent.
 */
agent: string, handle: string, profile: string, dir: string, at: string, 
/**
 * Of what: `killed, SIGKILL`, `exit code 1`.
 */
how: string, };

export type TurnUsage = { task: string, 
/**
 * The model that answered last.
 */
model: string | null, input: number, cached: number, cache_written: number, output: number, cost_usd: number | null, 
/**
 * Some of the cost is not known.
 */
cost_is_partial: boolean, 
/**
 * Tokens that the conversation takes.
 */
context: number | null, 
/**
 * Tokens that it may take.
 */
window: number | null, };

export type Repository = { id: string, name: string, path: string, 
/**
 * False for a plain folder.
 */
git: boolean, default_branch: string | null, branches: Array<string>, worktrees: Array<Worktree>, };

export type Worktree = { id: string, repository: string, path: string, name: string, 
/**
 * The one the repository itself is in.
 */
main: boolean, 
/**
 * Nothing where no branch is checked out.
 */
branch: string | null, head: string | null, locked: boolean, 
/**
 * Its folder is gone.
 */
missing: boolean, dirty: number, untracked: number, 
/**
 * The branch it is compared with.
 */
base: string | null, 
/**
 * Commits that the base has not.
 */
ahead: number, behind: number, 
/**
 * The agents that work in it.
 */
agents: Array<string>, };

export type Diff = { against: string, additions: number, deletions: number, truncated: boolean, files: Array<DiffFile>, };

export type DiffFile = { path: string, old_path: string | null, 
/**
 * `added`, `modified`, `deleted`, `renamed` or `untracked`.
 */
status: "added" | "modified" | "deleted" | "renamed" | "untracked", additions: number, deletions: number, binary: boolean, 
/**
 * From the first `@@` on.
 */
patch: string, truncated: boolean, };

export type Merged = { into: string, commit: string, fast_forward: boolean, };

export type Folder = { path: string, entries: Array<Entry>, };

export type Entry = { name: string, 
/**
 * `dir`, `file`, `link` or `other`.
 */
kind: "dir" | "file" | "link" | "other", size: number, modified: string, };

export type Contents = { path: string, size: number, modified: string, binary: boolean, truncated: boolean, 
/**
 * Nothing if it is no text.
 */
text: string | null, };

export type Rule = { id: string, profile: string | null, agent: string | null, kind: "permission" | "confirmation" | "selection", contains: string, choose: string, 
/**
 * The device it was made on.
 */
by: string, created_at: string, };

export type Used = { at: string, 
/**
 * The id of the agent.
 */
agent: string, handle: string, rule: string, question: string, 
/**
 * What the question was about.
 */
detail: string, 
/**
 * What was answered.
 */
value: string, };

export type Gone = "stopped" | "died";

export type Answer = { 
/**
 * What was answered; a password is not told.
 */
value: string, by: string, 
/**
 * The rule that answered instead of a person.
 */
rule: string | null, };

export type Delta = { "type": "agent.added", agent: Agent, } | { "type": "agent.changed", agent: Agent, } | { "type": "agent.removed", id: string, handle: string, reason: Gone, 
/**
 * Of what it died, if it did.
 */
how: string | null, } | { "type": "prompt.opened", agent: string, prompt: Prompt, } | { "type": "prompt.closed", agent: string, id: string, answer: Answer | null, } | { "type": "task", agent: string, task: string, number: number, event: string, data: unknown, } | { "type": "mesh.edge", edge: Edge, } | { "type": "worktrees" } | { "type": "flow", id: string, } | { "type": "deaths", deaths: Array<Death>, } | { "type": "auto-answer" };
