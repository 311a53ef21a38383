import { describe, expect, it } from "vitest";
import { behind } from "../../src/state/queue";
import { fetched, isWithdrawn, take, textOf, type Live } from "../../src/state/task-fold";
import type { Task, TaskEvent } from "../../src/types";
import { event, task } from "./builders";

const at = "2026-01-01T00:00:01Z";
const begun = event(1, "status", { state: "submitted", message: { role: "user", parts: [{ type: "text", text: "hi" }] } });
const opened = (number: number, id: string, text: string) =>
  event(number, "artifact", { artifactId: id, append: false, artifact: { type: "text", parts: [{ type: "text", text }] } });
const grown = (number: number, id: string, text: string) =>
  event(number, "artifact", { artifactId: id, append: true, artifact: { type: "text", parts: [{ type: "text", text }] } });

const play = (...events: TaskEvent[]) =>
  events.reduce<Live | null | undefined>((live, one) => (live === null ? null : take(live, one, "ada", at)), undefined);

describe("a task", () => {
  it("begins with its first event", () => {
    const live = play(begun);
    expect(live?.task.status.state).toBe("submitted");
    expect(textOf(live?.task.message.parts ?? [])).toBe("hi");
  });

  it("grows its artifacts in place", () => {
    const live = play(begun, opened(2, "a", "one "), opened(3, "b", "x"), grown(4, "a", "two"));
    expect(live?.task.artifacts.map((one) => textOf(one.parts ?? []))).toEqual(["one two", "x"]);
  });

  it("keeps each step once, as it was told last", () => {
    const step = (number: number, id: string, state: string) => event(number, "step", { step: { id, kind: "command", tool: "Bash", state } });
    const live = play(begun, step(2, "a", "running"), step(3, "b", "running"), step(4, "a", "ok"));
    expect(live?.task.steps?.map(({ id, state }) => `${id} ${state}`)).toEqual(["a ok", "b running"]);
  });

  it("is the same if an event comes twice", () => {
    const live = play(begun, opened(2, "a", "one "), grown(3, "a", "two"), grown(3, "a", "two"));
    expect(textOf(live?.task.artifacts[0]?.parts ?? [])).toBe("one two");
  });

  it("replaces an artifact that is opened again", () => {
    const live = play(begun, opened(2, "a", "draft"), opened(3, "a", "final"));
    expect(live?.task.artifacts.map((one) => textOf(one.parts ?? []))).toEqual(["final"]);
  });

  it("must be fetched after a gap, or if its beginning was not seen", () => {
    expect(play(begun, opened(3, "a", "x"))).toBeNull();
    expect(play(opened(2, "a", "x"))).toBeNull();
    expect(take(fetched(task()), opened(5, "a", "x"), "ada", at)).toBeNull();
  });

  it("keeps the question it asks and the reply it gave", () => {
    const asked = event(2, "status", { state: "input_required", message: { prompt: "Sure?" } });
    const replied = event(3, "message", { reply: "done", source: "record" });
    const live = play(begun, asked, replied);
    expect(live?.task.status.message).toEqual({ prompt: "Sure?" });
    expect(live?.task.reply).toBe("done");
  });
});

describe("a message that was taken back", () => {
  const canceled = (over: Partial<Task>) => isWithdrawn(task({ status: { state: "canceled", message: null, error: null, timestamp: "" }, ...over }));

  it("is nothing to remember, unless it ran", () => {
    expect(canceled({ history: [{ state: "submitted", at: "" }, { state: "canceled", at: "" }] })).toBe(true);
    expect(canceled({ history: [{ state: "submitted", at: "" }, { state: "working", at: "" }, { state: "canceled", at: "" }] })).toBe(false);
    expect(canceled({ artifacts: [{ type: "text" }] })).toBe(false);
    expect(canceled({})).toBeNull();
    expect(isWithdrawn(task())).toBe(false);
  });

  it("leaves those behind it, of people only, to be lined up again", () => {
    const queue = [task({ id: "a" }), task({ id: "b" }), task({ id: "c", sender: "@codex" }), task({ id: "d" })];
    expect(behind(queue, task({ id: "a" }))).toEqual(["b", "d"]);
  });
});
