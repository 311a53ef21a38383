import assert from "node:assert/strict";
import { test } from "node:test";
import { offers, readLine, usualRecipient } from "../../src/recipient";

const handles = ["codex", "claude", "reviewer"];
const agent = (handle: string, dir: string) => ({ handle, dir, machine: null });

test("a name is completed until a space follows it", () => {
  assert.deepEqual(readLine("@", handles, null), { step: "naming", word: "" });
  assert.deepEqual(readLine("@co", handles, null), { step: "naming", word: "co" });
  assert.deepEqual(readLine("@CODEX fix it", handles, null), { step: "writing", handle: "codex", words: "fix it" });
  assert.deepEqual(readLine("@nobody fix it", handles, null), { step: "unknown", handle: "nobody" });
});

test("words without a name are for the usual one", () => {
  assert.deepEqual(readLine("fix it", handles, "claude"), { step: "writing", handle: "claude", words: "fix it" });
  assert.deepEqual(readLine("fix it", handles, null), { step: "naming", word: "" });
});

test("names that begin with the word come first", () => {
  const agents = handles.map((handle) => agent(handle, "/"));
  assert.deepEqual(offers(agents, "c").map((one) => one.handle), ["codex", "claude"]);
  assert.deepEqual(offers(agents, "e").map((one) => one.handle), handles);
  assert.deepEqual(offers(agents, "re").map((one) => one.handle), ["reviewer"]);
});

test("the usual one works where the file is, and was written to last", () => {
  const agents = [agent("a", "/shop"), agent("b", "/shop/web"), agent("c", "/shop/web"), agent("d", "/other")];
  assert.equal(usualRecipient(agents, "/shop/web/x.ts", undefined)?.handle, "b");
  assert.equal(usualRecipient(agents, "/shop/web/x.ts", "c")?.handle, "c");
  assert.equal(usualRecipient(agents, "/shop/x.ts", "d")?.handle, "a");
  assert.equal(usualRecipient(agents, "/elsewhere/x.ts", "d")?.handle, "d");
  assert.equal(usualRecipient([], "/x", "d"), undefined);
});
