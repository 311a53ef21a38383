import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, openAgent, say, test } from "./fixtures";
import { World } from "./world";

/** A port that nobody listens on. */
function freePort(): Promise<number> {
  return new Promise((found) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => found(typeof address === "object" && address ? address.port : 0));
    });
  });
}

test("agents of another machine stand below its name, are used from here, and turn grey when it goes", async ({ enter, world }) => {
  const laptop = new World();
  try {
    laptop.makeRepository();
    const port = await freePort();
    world.synapse("mesh", "up", "--name", "desk", "--listen", "127.0.0.1", "--port", String(port));
    const line = world.synapse("mesh", "invite", "laptop").trim().split(/\s+/);
    laptop.synapse(...line.slice(1));
    laptop.startAgent("faraway", join(laptop.home, "shop"));
    const page = await enter();
    const group = page.locator(".agent-group").filter({ hasText: "laptop: shop" });
    await expect(group).toContainText("faraway");
    await expect(group).toContainText("main");
    await expect(group).not.toHaveClass(/is-away/);
    await openAgent(page, "faraway@laptop");
    await say(page, "say:from the page");
    await expect(page.locator(".reply").first()).toContainText("from the page");
    const bridge = JSON.parse(readFileSync(join(laptop.home, ".synapse/mesh/bridge.lock"), "utf8")) as { pid: number };
    process.kill(bridge.pid, "SIGTERM");
    await page.goto(world.url);
    await expect(group).toHaveClass(/is-away/);
    await expect(group).toContainText("Away, seen");
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  } finally {
    laptop.tryRun("mesh", "leave");
    await laptop.end();
    world.tryRun("mesh", "leave", "--end");
  }
});
