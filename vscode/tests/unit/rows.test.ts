import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlowLine } from "../../../web/src/state/flows";
import { agent, prompt } from "../../../web/tests/unit/builders";
import { idOf, rowsBelow, topRows, waitingCount } from "../../src/rows";

const run = (more: Partial<FlowLine> = {}): FlowLine => ({ id: "r1", name: "review", state: "running", dir: "/shop", by: "ada", asks: [], started_at: 0, updated_at: 0, ...more });
const names = (rows: ReturnType<typeof topRows>) => rows.map((row) => (row.kind === "worktree" ? row.name : row.kind));

test("worktrees where somebody waits come first, and in them who waits", () => {
  const agents = [
    agent({ id: "1", handle: "a", worktree: "w1", dir: "/one", repository: null, status: "working" }),
    agent({ id: "2", handle: "b", worktree: "w2", dir: "/two", repository: null, status: "idle" }),
    agent({ id: "3", handle: "c", worktree: "w2", dir: "/two", repository: null, status: "waiting", prompt: prompt({}) }),
  ];
  const rows = topRows(agents, []);
  assert.deepEqual(names(rows), ["two", "one"]);
  const below = rowsBelow(rows[0]!).map((row) => (row.kind === "agent" ? row.agent.handle : row.kind));
  assert.deepEqual(below, ["c", "b"]);
  assert.equal(waitingCount(agents, []), 1);
});

test("a question has its options below it, and a field where words are an answer", () => {
  const asked = agent({ id: "1", status: "waiting", prompt: prompt({ kind: "permission", options: [{ label: "Yes", key: "1" }, { label: "No", key: "2" }] }) });
  const below = rowsBelow({ kind: "agent", agent: asked });
  assert.deepEqual(below.map((row) => row.kind), ["question", "option", "option"]);
  assert.deepEqual(below.flatMap((row) => (row.kind === "option" ? [row.value] : [])), ["Yes", "No"]);
  const text = agent({ id: "1", status: "waiting", prompt: prompt({ kind: "password", options: [] }) });
  assert.deepEqual(rowsBelow({ kind: "agent", agent: text }).flatMap((row) => (row.kind === "option" ? [row.value] : [])), [null]);
});

test("options that are called alike are told apart", () => {
  const asked = agent({ id: "1", status: "waiting", prompt: prompt({ kind: "selection", options: [{ label: "Same", key: "1" }, { label: "Same", key: "2" }] }) });
  const values = rowsBelow({ kind: "agent", agent: asked }).flatMap((row) => (row.kind === "option" ? [row.value] : []));
  assert.deepEqual(values, ["1", "2"]);
});

test("flows that run stand below, with what they ask; those that are over do not", () => {
  const ask = { step: "merge", id: "merge.1", question: "Merge?", options: ["yes", "no"], since: 0 };
  assert.deepEqual(names(topRows([], [run({ state: "done" })])), []);
  const [flows] = topRows([], [run({ asks: [ask] })]);
  const [row] = rowsBelow(flows!);
  assert.deepEqual(rowsBelow(row!).map((one) => one.kind), ["run-question", "run-option", "run-option"]);
  assert.equal(waitingCount([], [run({ asks: [ask] })]), 1);
});

test("an agent that begins to ask is another row, so that it unfolds", () => {
  const quiet = agent({ id: "1" });
  const asking = agent({ id: "1", prompt: prompt({}) });
  assert.notEqual(idOf({ kind: "agent", agent: quiet }), idOf({ kind: "agent", agent: asking }));
});
