import assert from "node:assert/strict";
import { test } from "node:test";
import { isAllowed } from "../../src/relay";

const OWN = "a".repeat(64);
const OTHER = "b".repeat(64);
const may = (method: string, path: string, body: unknown = null) => isAllowed({ method, path, body: body === null ? null : JSON.stringify(body) }, OWN);

test("a conversation may ask for what it shows and does", () => {
  for (const path of [`agents/${OWN}/messages?limit=50`, `agents/${OWN}/screen?lines=15`, "tasks/t1", "prompts", `history/${OWN}~coder`]) assert.ok(may("GET", `/api/${path}`), path);
  for (const path of [`agents/${OWN}/send`, `agents/${OWN}/interrupt`, `agents/${OWN}/prompt/p1/answer`, `agents/${OWN}/keys`, "tasks/t1/cancel"]) assert.ok(may("POST", `/api/${path}`, {}), path);
});

test("it may make no login, read no file and touch no other agent", () => {
  for (const path of ["devices", "settings", "notify", `worktrees/w/files/.env`, `agents/${OTHER}/messages`, "auth/exchange"]) assert.ok(!may("GET", `/api/${path}`), path);
  for (const path of ["devices", "agents", "worktrees", `agents/${OTHER}/interrupt`, `agents/${OTHER}/prompt/p/answer`, "auto-answer", "flows"]) assert.ok(!may("POST", `/api/${path}`, {}), path);
  assert.ok(!may("DELETE", `/api/agents/${OWN}`));
});

test("it writes to another agent only in its own agent's name", () => {
  assert.ok(may("POST", `/api/agents/${OTHER}/send`, { text: "x", from: OWN }));
  assert.ok(!may("POST", `/api/agents/${OTHER}/send`, { text: "x" }));
  assert.ok(!may("POST", `/api/agents/${OTHER}/send`, { text: "x", from: OTHER }));
  assert.ok(!isAllowed({ method: "POST", path: `/api/agents/${OTHER}/send`, body: "{" }, OWN));
});

test("no path leads around the list", () => {
  for (const path of [`/api/agents/${OWN}/../../devices`, `/api/tasks/..%2fdevices`, `/api/tasks/%2e%2e`, "//evil.example/api/session", "http://evil.example/api/session", `/api/agents/${OWN}/messages/../../devices`]) assert.ok(!may("GET", path), path);
});
