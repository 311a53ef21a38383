import { describe, expect, it } from "vitest";
import { emptyWorld, step, type World } from "../../src/state/fold";
import type { Said } from "../../src/types";
import { agent, edge, session } from "./builders";

const hello = (over: Partial<Extract<Said, { type: "hello" }>> = {}): Said => ({
  type: "hello", seq: 10, boot: "b1", session, agents: [agent({ id: "1" })], edges: [], ...over,
});
const at = "2026-01-01T00:00:00Z";
const after = (...said: Said[]): World => said.reduce((world, one) => step(world, one).world, emptyWorld);

describe("the world", () => {
  it("knows nothing before the first hello", () => {
    const changed: Said = { type: "agent.changed", seq: 11, at, agent: agent({ id: "1" }) };
    expect(step(emptyWorld, changed).world.agents.size).toBe(0);
  });

  it("is replaced whole by a hello", () => {
    const world = after(hello(), hello({ boot: "b2", seq: 3, agents: [agent({ id: "2" })] }));
    expect([...world.agents.keys()]).toEqual(["2"]);
    expect(world.seq).toBe(3);
  });

  it("takes the next delta and drops an old one", () => {
    const working: Said = { type: "agent.changed", seq: 11, at, agent: agent({ id: "1", status: "working" }) };
    const old: Said = { type: "agent.changed", seq: 11, at, agent: agent({ id: "1", status: "failed" }) };
    expect(after(hello(), working, old).agents.get("1")?.status).toBe("working");
  });

  it("asks for a hello at a gap, and applies nothing until it comes", () => {
    const late: Said = { type: "agent.removed", seq: 13, at, id: "1", handle: "a", reason: "stopped" };
    const { world, isGap } = step(after(hello()), late);
    expect(isGap).toBe(true);
    expect(world.agents.has("1")).toBe(true);
    const next: Said = { type: "agent.removed", seq: 14, at, id: "1", handle: "a", reason: "stopped" };
    expect(step(world, next).world.agents.has("1")).toBe(true);
    expect(step(world, hello({ agents: [] })).world.isBehind).toBe(false);
  });

  it("notices a gap by the number of a beat", () => {
    expect(step(after(hello()), { type: "beat", seq: 10 }).isGap).toBe(false);
    expect(step(after(hello()), { type: "beat", seq: 12 }).isGap).toBe(true);
  });

  it("keeps one edge for each pair", () => {
    const first: Said = { type: "mesh.edge", seq: 11, at, edge: edge({ count: 1 }) };
    const second: Said = { type: "mesh.edge", seq: 12, at, edge: edge({ count: 2 }) };
    expect(after(hello(), first, second).edges.map((one) => one.count)).toEqual([2]);
  });
});
