// One task: a fold over its numbered events, or a copy fetched from the hub. Pure.

import type { Act, Artifact, Failure, Part, Step, Task, TaskEvent, TaskState } from "../types";

export type Live = {
  task: Task;
  /** The last event that is in it; null: fetched, so the next event must be fetched too. */
  number: number | null;
  /** The id of each artifact, in the order of `task.artifacts`. */
  artifactIds: string[];
};

/** What agents call whoever sits at this machine, and who types at their own terminal. */
const PEOPLE: ReadonlySet<string> = new Set(["user", "keyboard", ""]);

const OVER: ReadonlySet<TaskState> = new Set(["completed", "failed", "canceled", "rejected"]);

export function isOver(state: TaskState): boolean {
  return OVER.has(state);
}

/** Whether it was withdrawn before it ran, which is nothing to remember; null: its history would tell. */
export function isWithdrawn(task: Task): boolean | null {
  if (task.status.state !== "canceled") return false;
  if (task.artifacts.length > 0) return false;
  return task.history ? !task.history.some(({ state }) => state === "working" || state === "input_required") : null;
}

/** Somebody stopped it: that is no failure of the agent. */
export function isInterrupted(task: Task): boolean {
  return task.status.state === "failed" && task.status.error?.code === "INTERRUPTED";
}

/** The agent that asked, without its `@`; nobody if it was a person. */
export function otherAgent(task: Task): string | null {
  const name = task.sender.replace(/^@/, "");
  return PEOPLE.has(name) ? null : name;
}

export function fetched(task: Task): Live {
  return { task, number: null, artifactIds: [] };
}

/** Takes in one event. Null: it cannot be applied to what is known, the task must be fetched. */
export function take(known: Live | undefined, event: TaskEvent, handle: string, at: string): Live | null {
  if (event.number === 1 && !known) return begin(event, handle, at);
  if (!known || known.number === null) return null;
  if (event.number <= known.number) return known;
  if (event.number !== known.number + 1) return null;
  const next: Live = { ...known, number: event.number, task: { ...known.task, updated_at: at } };
  if (event.event === "status") return withStatus(next, event, at);
  if (event.event === "artifact") return withArtifact(next, event);
  if (event.event === "act") return { ...next, task: { ...next.task, acts: [...(next.task.acts ?? []), event.data["act"] as Act] } };
  if (event.event === "step") return withStep(next, event);
  return withMessage(next, event);
}

function begin(event: TaskEvent, handle: string, at: string): Live | null {
  const { data } = event;
  const message = data["message"] as Task["message"] | undefined;
  if (!message) return null;
  const task: Task = {
    id: event.task,
    context_id: String(data["contextId"] ?? ""),
    agent: event.agent,
    owner: event.agent,
    handle,
    sender: typeof data["sender"] === "string" ? data["sender"] : "user",
    priority: typeof data["priority"] === "number" ? data["priority"] : 1,
    status: { state: "submitted", message: null, error: null, timestamp: at },
    message,
    artifacts: [],
    reply: null,
    source: null,
    created_at: at,
    updated_at: at,
    history: [{ state: "submitted", at }],
  };
  return { task, number: 1, artifactIds: [] };
}

function withStatus(live: Live, event: TaskEvent, at: string): Live {
  const { data } = event;
  const status = {
    state: data["state"] as TaskState,
    message: data["message"] ?? null,
    error: (data["error"] as Failure | undefined) ?? null,
    timestamp: String(data["timestamp"] ?? at),
  };
  const { history = [] } = live.task;
  const isNew = history.at(-1)?.state !== status.state;
  const moments = isNew ? [...history, { state: status.state, at: status.timestamp }] : history;
  return { ...live, task: { ...live.task, status, history: moments } };
}

function withMessage(live: Live, event: TaskEvent): Live {
  const { reply, source } = event.data;
  if (typeof reply !== "string") return live;
  return { ...live, task: { ...live.task, reply, source: typeof source === "string" ? source : null } };
}

/** A step comes, or takes the place of the one of its name. */
function withStep(live: Live, event: TaskEvent): Live {
  const step = event.data["step"] as Step;
  const { steps = [] } = live.task;
  const isKnown = steps.some(({ id }) => id === step.id);
  const after = isKnown ? steps.map((known) => (known.id === step.id ? step : known)) : [...steps, step];
  return { ...live, task: { ...live.task, steps: after } };
}

function withArtifact(live: Live, event: TaskEvent): Live | null {
  const id = String(event.data["artifactId"]);
  const artifact = event.data["artifact"] as Artifact | undefined;
  const index = live.artifactIds.indexOf(id);
  const artifacts = [...live.task.artifacts];
  const old = artifacts[index];
  if (event.data["append"] !== true) {
    if (!artifact) return null;
    if (index >= 0) artifacts[index] = artifact;
    else artifacts.push(artifact);
    const artifactIds = index >= 0 ? live.artifactIds : [...live.artifactIds, id];
    return { ...live, artifactIds, task: { ...live.task, artifacts } };
  }
  if (!artifact) return live;
  if (!old) return null;
  artifacts[index] = { ...old, parts: grow(old.parts ?? [], artifact.parts ?? []) };
  return { ...live, task: { ...live.task, artifacts } };
}

/** Text continues text; anything else follows. */
function grow(parts: Part[], more: Part[]): Part[] {
  const grown = [...parts];
  for (const part of more) {
    const last = grown[grown.length - 1];
    if (last?.type === "text" && part.type === "text") {
      grown[grown.length - 1] = { ...last, text: (last.text ?? "") + (part.text ?? "") };
    } else grown.push(part);
  }
  return grown;
}

/** What was asked of the agent, as text. */
export function textOf(parts: Part[]): string {
  return parts
    .map((part) => part.text ?? part.file?.name ?? (part.data === undefined ? "" : JSON.stringify(part.data)))
    .filter((text) => text !== "")
    .join("\n");
}
