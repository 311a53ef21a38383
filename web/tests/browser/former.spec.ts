import { join } from "node:path";
import { badge, expect, openAgent, say, test } from "./fixtures";

test("what was said to an agent stays to be read when it is gone", async ({ enter, world, fresh }) => {
  const page = await enter();
  const name = fresh("leaver");
  await openAgent(page, name);
  await say(page, "say:the last words of a leaver");
  await expect(page.locator(".entry .reply")).toContainText("the last words of a leaver");
  await expect(page.locator(".entry")).toHaveAttribute("data-state", "completed");
  world.tryRun("stop", name);
  await expect(badge(page)).toHaveAttribute("data-status", "stopped");
  await expect(page.getByText("This agent is not running any more")).toBeVisible();
  await expect(page.locator(".entry .reply")).toContainText("the last words of a leaver");
  await expect(page.locator(".message-bar")).toHaveCount(0);
  await page.reload();
  await expect(page.locator(".entry .reply")).toContainText("the last words of a leaver");

  await page.goto(`${world.url}/`);
  const row = page.locator(`[data-former="${name}"]`);
  await page.locator("summary", { hasText: "Stopped" }).click();
  await expect(row.locator(".badge")).toHaveText("stopped");
  await row.getByRole("link").click();
  await expect(page.locator(".entry")).toHaveCount(1);

  await page.goto(`${world.url}/search?q=${encodeURIComponent("last words of a leaver")}`);
  await page.locator(".found a").first().click();
  await expect(badge(page)).toHaveAttribute("data-status", "stopped");
  await expect(page.locator(".entry.is-meant .reply")).toContainText("the last words of a leaver");
  await page.getByRole("button", { name: "Message actions" }).click();
  await page.getByRole("link", { name: "Details" }).click();
  await expect(page.getByRole("heading", { name: "Task" })).toBeVisible();
  await page.getByRole("link", { name: `@${name}` }).click();
  await expect(page.locator(".entry.is-meant")).toHaveCount(1);
  await page.goto(`${world.url}/search?q=${name}`);
  await page.locator(".found a").filter({ hasText: "stopped" }).first().click();
  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
});

test("one that never said anything is said to be gone", async ({ enter, world }) => {
  const page = await enter();
  await page.goto(`${world.url}/a/nobody-ever`);
  await expect(page.getByText("This agent is not running any more")).toBeVisible();
});

test("an agent of another name inherits nothing from its folder, and each start of one is told", async ({ enter, world, fresh }) => {
  const page = await enter();
  const first = fresh("heir");
  const folder = join(world.home, first);
  await openAgent(page, first);
  await say(page, "say:a family secret");
  await expect(page.locator(".entry .reply")).toContainText("a family secret");
  await expect(page.locator(".system-line", { hasText: "Started" })).toHaveCount(1);
  world.tryRun("stop", first);
  await expect(badge(page)).toHaveAttribute("data-status", "stopped");
  const second = `${first}x`;
  world.startAgent(second, folder);
  try {
    await page.goto(`${world.url}/a/${second}`);
    await expect(badge(page)).toHaveAttribute("data-status", "idle");
    await expect(page.locator(".system-line", { hasText: "Started" })).toHaveCount(1);
    await expect(page.locator(".entry")).toHaveCount(0);
    await page.goto(`${world.url}/`);
    await page.locator("summary", { hasText: "Stopped" }).click();
    await page.locator(`[data-former="${first}"]`).getByRole("link").click();
    await expect(page.getByRole("heading", { name: first, level: 1 })).toBeVisible();
    await expect(page.locator(".entry .reply")).toContainText("a family secret");
  } finally {
    world.tryRun("stop", second);
  }
  world.startAgent(first, folder);
  await page.goto(`${world.url}/a/${first}`);
  await expect(badge(page)).toHaveAttribute("data-status", "idle");
  await expect(page.locator(".entry .reply")).toContainText("a family secret");
  await expect(page.locator(".system-line", { hasText: "Started" })).toHaveCount(2);
});
