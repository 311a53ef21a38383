import assert from "node:assert/strict";
import { test } from "node:test";
import { isShown } from "../../src/shown";

const agent = { handle: "review-1", dir: "/home/ada/shop-login", repository: "/home/ada/shop", machine: null };
const all = { agents: "all" as const, names: [], folders: [] };

test("all of them are shown unless something else is set", () => {
  assert.ok(isShown(agent, all));
});

test("a window shows those of its folders and of their repositories", () => {
  const here = (folders: string[]) => isShown(agent, { ...all, agents: "workspace", folders });
  assert.ok(here(["/home/ada/shop"]));
  assert.ok(here(["/home/ada/shop-login"]));
  assert.ok(here(["/home/ada/shop-login/web"]));
  assert.ok(!here(["/home/ada/shop-log"]));
  assert.ok(!here(["/home/ada/other"]));
  assert.ok(!here([]));
  const away = { ...agent, machine: "box" };
  assert.ok(!isShown(away, { ...all, agents: "workspace", folders: ["/home/ada/shop"] }));
  assert.ok(isShown(away, all));
});

test("names are whole, with * for anything", () => {
  const named = (...names: string[]) => isShown(agent, { ...all, names });
  assert.ok(named("review-*"));
  assert.ok(named("@review-1"));
  assert.ok(named("nobody", "*-1"));
  assert.ok(!named("review"));
  assert.ok(!named("review.1"));
});
