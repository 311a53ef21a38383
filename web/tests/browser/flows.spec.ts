import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "./fixtures";

test("a flow is run from its room, its gate is answered there, and its steps open their work", async ({ enter }) => {
  const page = await enter();
  await page.goto(new URL("/flows", page.url()).href);
  await page.getByRole("button", { name: "Run debate" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("question").fill("tabs or spaces");
  await dialog.getByLabel(/Simulate/).check();
  await dialog.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("heading", { name: /debate/ })).toBeVisible();
  await expect(page.getByRole("button", { name: "verdict, done" })).toBeVisible({ timeout: 60_000 });
  await page.getByRole("button", { name: "opening.one, done" }).click();
  const work = page.getByRole("region", { name: "opening.one" });
  await expect(work).toContainText("done");
  await work.getByRole("link", { name: "Conversation" }).click();
  await expect(page.locator("[data-task]")).toHaveAttribute("data-state", "completed");
});

test("a gate is a card in the inbox, and Stop stops all of it once it is confirmed", async ({ enter, world }) => {
  const page = await enter();
  const folder = join(world.home, ".synapse/flows");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "gated.yaml"), "name: gated\nsteps:\n  a: {run: [echo, hi]}\n  b: {gate: 'Ship it?', run: [sleep, '600']}\n");
  await page.goto(new URL("/flows", page.url()).href);
  await page.getByRole("button", { name: "Run gated" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByText("Ship it?").first()).toBeVisible();
  await page.goto(new URL("/inbox", page.url()).href);
  const card = page.locator('.flow-ask[data-flow="gated"]');
  await expect(card).toContainText("Ship it?");
  await card.getByRole("button", { name: "yes" }).click();
  await expect(card).toHaveCount(0);
  await page.goto(new URL("/flows", page.url()).href);
  await page.locator(".flow-row").filter({ hasText: "gated" }).first().getByRole("link").click();
  await expect(page.getByRole("button", { name: "b, running" })).toBeVisible();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("group", { name: "Stop all of it?" }).getByRole("button", { name: "Stop" }).click();
  await expect(page.getByRole("button", { name: "Resume" })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
});
