import { describe, expect, it } from "vitest";
import { changedBy, linesOf, took } from "../../src/state/steps";
import type { Step } from "../../src/types";

const step = (over: Partial<Step>): Step => ({ id: "1", kind: "read", tool: "Read", subject: "a", state: "ok", ...over });

describe("the steps of a turn", () => {
  it("count reads in a row as one line, but not one that failed or runs", () => {
    const lines = linesOf([step({ id: "1" }), step({ id: "2" }), step({ id: "3", state: "failed" }), step({ id: "4" }), step({ id: "5", state: "running" })]);
    expect(lines.map((line) => (line.kind === "reads" ? line.steps.length : line.step.id))).toEqual([2, "3", "4", "5"]);
  });

  it("sum up what was changed, each file once", () => {
    const edit = { path: "a", added: 2, removed: 1 };
    expect(changedBy([step({ kind: "edit", edit }), step({ kind: "edit", edit }), step({ kind: "edit", edit, state: "refused" })])).toEqual({ added: 4, removed: 2, files: 1 });
  });

  it("say how long they took", () => {
    expect([300, 9_960, 59_900, 125_000].map(took)).toEqual(["0.3 s", "10 s", "60 s", "2 min 5 s"]);
  });
});
