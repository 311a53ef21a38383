// The extension's hold of the hub, without the editor: against the real binary.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { World } from "../../../web/tests/browser/world";
import { Hub } from "../../src/hub/hub";

const BINARY = process.env["SYNAPSE_BIN"] ?? join(import.meta.dirname, "../../../target/debug/synapse");

test("a hub is started when it is wanted, found again when it was killed, and ended with us", async () => {
  const world = new World();
  world.makeRepository();
  world.startAgent("coder", world.repository);
  const before = { ...process.env };
  Object.assign(process.env, world.env);
  const kept = new Map<string, string>();
  const secrets = { get: async (key: string) => kept.get(key), store: async (key: string, value: string) => void kept.set(key, value) };
  const log: string[] = [];
  const hub = new Hub(() => BINARY, secrets, (line) => log.push(line));
  try {
    hub.connect();
    await expect.poll(() => hub.state).toBe("asleep");
    expect(log).toEqual([]);

    hub.want();
    await expect.poll(() => hub.state).toBe("open");
    expect(hub.agents.map((agent) => agent.handle)).toEqual(["coder"]);
    const secret = kept.get("synapse.login");
    expect(Object.keys(JSON.parse(secret ?? "{}"))).toEqual(["secret", "key"]);
    expect(log.join()).not.toContain("#code=");

    // Whoever ends it does not end us: another is started, and the same login is good there.
    const first = hub.url;
    const { pid } = JSON.parse(readFileSync(join(world.home, ".synapse/hub.lock"), "utf8")) as { pid: number };
    process.kill(pid, "SIGKILL");
    await expect.poll(() => hub.state === "open" && hub.url !== first && hub.url !== null).toBe(true);
    expect(kept.get("synapse.login")).toBe(secret);
    const { session } = await hub.ask<{ session: { name: string } }>("GET", "/api/session");
    expect(session.name).toMatch(/^VS Code on /);

    // A login that was removed is made anew.
    const { devices } = await hub.ask<{ devices: { id: string; current: boolean }[] }>("GET", "/api/devices");
    expect(devices).toHaveLength(1);
    await hub.ask("DELETE", `/api/devices/${devices[0]?.id}`);
    await expect.poll(() => hub.state === "open" && kept.get("synapse.login") !== secret).toBe(true);

    hub.end();
    await expect.poll(() => existsSync(join(world.home, ".synapse/hub.lock"))).toBe(false);
  } finally {
    hub.end();
    await world.end();
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
});

test("a binary that is not there is told as that", async () => {
  const hub = new Hub(() => "/no/such/synapse", { get: async () => undefined, store: async () => {} }, () => {});
  hub.connect();
  await expect.poll(() => hub.state).toBe("missing");
  hub.end();
});
