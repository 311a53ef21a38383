import { describe, expect, it } from "vitest";
import { DEBOUNCE_MS, errorText, PER_MINUTE, press, rest, restingStop, settle, withOneRetry, type Stop } from "../../src/state/interrupt";

describe("the stop button", () => {
  it("goes from idle over sending to success and back", () => {
    const sent = press(restingStop, 0);
    expect([sent.verdict, sent.stop.state]).toEqual(["send", "sending"]);
    const done = settle(sent.stop, "success");
    expect(done.state).toBe("success");
    expect(rest(done).state).toBe("idle");
  });

  it("takes no second press while one is under way or within a second", () => {
    const { stop } = press(restingStop, 0);
    expect(press(stop, 5_000).verdict).toBe("too-soon");
    const again = rest(settle(stop, "error"));
    expect(press(again, DEBOUNCE_MS - 1).verdict).toBe("too-soon");
    expect(press(again, DEBOUNCE_MS).verdict).toBe("send");
  });

  it("takes ten presses a minute", () => {
    let stop: Stop = restingStop;
    for (let n = 0; n < PER_MINUTE; n += 1) stop = rest(settle(press(stop, n * 2_000).stop, "success"));
    expect(press(stop, 30_000).verdict).toBe("too-many");
    expect(press(stop, 60_001).verdict).toBe("send");
  });

  it("does not rest while it is sending", () => {
    expect(rest(press(restingStop, 0).stop).state).toBe("sending");
  });

  it("has three texts for what can go wrong", () => {
    expect([404, 500, null].map(errorText)).toEqual(["stop.noSession", "stop.failed", "stop.network"]);
  });

  it("tries once more if there was no answer, and only then", async () => {
    const failing = (times: number) => {
      let calls = 0;
      return { act: async () => (++calls <= times ? Promise.reject(new Error("net")) : calls), calls: () => calls };
    };
    const once = failing(1);
    expect(await withOneRetry(once.act, () => true, async () => {})).toBe(2);
    const twice = failing(2);
    await expect(withOneRetry(twice.act, () => true, async () => {})).rejects.toThrow("net");
    expect(twice.calls()).toBe(2);
    const refused = failing(1);
    await expect(withOneRetry(refused.act, () => false, async () => {})).rejects.toThrow("net");
    expect(refused.calls()).toBe(1);
  });
});
