// Makes what a test needs, with defaults for all but its point.

import type { Agent, Edge, Prompt, Session, Task, TaskEvent } from "../../src/types";

const at = "2026-01-01T00:00:00Z";

export const session: Session = { device: "d1", name: "Laptop", read_only: false };

export const agent = (over: Partial<Agent> = {}): Agent => ({
  id: "1", handle: "ada", profile: "claude", dir: "/home/me/shop", machine: null, seen: null, worktree: "w1", branch: "main", repository: null, pid: 1, port: 8100,
  version: "1", started_at: at, status: "idle", since: at, has_terminal: true, evidence: "screen", queue: 0, held: null, steps_from: "hook", prompt: null, task: null, usage: null, ...over,
});

export const edge = (over: Partial<Edge> = {}): Edge => ({ from: "a", to: "b", count: 1, live: 0, last_at: at, last_task: "t", ...over });

export const prompt = (over: Partial<Prompt> = {}): Prompt => ({
  id: "p1", fingerprint: "f1", kind: "confirmation", question: "Continue?", detail: "",
  options: [{ label: "Yes", key: "y" }, { label: "No", key: "n" }], selected: null, default: null, since: at, ...over,
});

export const task = (over: Partial<Task> = {}): Task => ({
  id: "t1", context_id: "c", agent: "1", owner: "1", handle: "ada", sender: "user", priority: 1,
  status: { state: "working", message: null, error: null, timestamp: at },
  message: { role: "user", parts: [{ type: "text", text: "do it" }] },
  artifacts: [], reply: null, source: null, created_at: at, updated_at: at, ...over,
});

export const event = (number: number, kind: TaskEvent["event"], data: Record<string, unknown>): TaskEvent => ({
  type: "task", agent: "1", task: "t1", number, event: kind, data,
});
