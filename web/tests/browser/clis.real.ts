// Stop and a permission card on a real CLI, as a person works them. `tests-real/page.py` wraps the CLI, starts the hub,
// and compares what the page told with what the model saw.

import { existsSync, writeFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import type { Page } from "@playwright/test";
import { badge, expect, openAgent, openTab, say, stopButton, test, toast } from "./fixtures";

const given = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: these tests are run by tests-real/run.py`);
  return value;
};

/** What the affirmative option of the narrowest scope is called by each CLI. */
const YES = /^\d?\s*(Yes|Yes, proceed|Allow once)$/;
/** A CLI may take this long to react to a model on a busy machine. */
const PATIENT = { timeout: 30_000 };

async function open(page: Page): Promise<void> {
  await page.goto(given("PAGE_LINK"));
  await openAgent(page, given("PAGE_AGENT"));
  await expect(badge(page)).toHaveAttribute("data-status", "idle", PATIENT);
}

const lastEntry = (page: Page) => page.locator(".entry").last();

async function tell(page: Page, ms: number): Promise<void> {
  writeFileSync(given("PAGE_RESULT"), JSON.stringify({ ms: Math.round(ms) }));
  await page.screenshot({ path: `${given("PAGE_RESULT")}.png` });
}

test("stop", async ({ page }) => {
  await open(page);
  await say(page, "slow:30");
  await expect(badge(page)).toHaveAttribute("data-status", "working", PATIENT);
  // Some versions show a paragraph only when it is complete, and until then that they work.
  await expect(page.locator(".xterm-rows")).toContainText(/bravo|\(\d+s\b/, PATIENT);
  const begin = performance.now();
  await stopButton(page).click();
  await expect(toast(page, /^Stopped/)).toBeVisible();
  const took = performance.now() - begin;
  await expect(badge(page)).toHaveAttribute("data-status", "idle");
  await expect(lastEntry(page)).toContainText("interrupted");
  await expect(stopButton(page)).toHaveAttribute("data-state", "idle");
  await stopButton(page).click();
  await expect(toast(page, /^Nothing is running/)).toBeVisible();
  await say(page, "say:after the stop");
  await expect(lastEntry(page).locator(".reply")).toHaveText("after the stop", PATIENT);
  await tell(page, took);
});

test("permission", async ({ page }) => {
  const made = given("PAGE_MARKER");
  await open(page);
  await say(page, `tool:touch ${made} && echo granted`);
  const card = page.locator(".prompt-card");
  await expect(badge(page)).toHaveAttribute("data-status", "waiting", PATIENT);
  await expect(card.locator(".prompt-question")).toContainText("?");
  await expect(card.locator(".prompt-detail")).toContainText("echo granted");
  // Yes, No, and one or two that allow more than this once.
  expect(await card.locator(".option").count()).toBeGreaterThanOrEqual(3);
  expect(existsSync(made)).toBe(false);
  const begin = performance.now();
  await card.getByRole("button", { name: YES }).click();
  await expect(lastEntry(page).locator(".reply")).toContainText("tool done", PATIENT);
  const took = performance.now() - begin;
  await expect(card).toHaveCount(0);
  await expect(badge(page)).toHaveAttribute("data-status", "idle", PATIENT);
  await expect(page.locator(".system-line").last()).toContainText("by you");
  expect(existsSync(made)).toBe(true);
  await tell(page, took);
});

test("phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const made = given("PAGE_MARKER");
  await open(page);
  // One of a kind: the case before it may have said the same, and the page shows the last fifty.
  const message = `tool:touch ${made} && echo granted ${Date.now()}`;
  await say(page, message);
  await expect(badge(page)).toHaveAttribute("data-status", "waiting", PATIENT);
  await openTab(page, "Terminal");
  const sheet = page.getByRole("region", { name: "Question and Stop" });
  await expect(sheet.locator(".prompt-detail")).toContainText("echo granted");
  expect(existsSync(made)).toBe(false);
  const begin = performance.now();
  await sheet.getByRole("button", { name: YES }).click();
  await expect(sheet.locator(".prompt-card")).toHaveCount(0, PATIENT);
  await openTab(page, "Conversation");
  await expect(lastEntry(page).locator(".reply")).toContainText("tool done", PATIENT);
  const took = performance.now() - begin;
  // One message is one entry, with what was done for it, also after a reload.
  await page.reload();
  await expect(lastEntry(page).locator(".reply")).toContainText("tool done", PATIENT);
  await expect(page.locator(".entry").filter({ hasText: message })).toHaveCount(1);
  await expect(lastEntry(page).locator(".bubble")).toHaveText(message);
  if (given("PAGE_STEPS") === "told") {
    const step = lastEntry(page).getByRole("region", { name: "Steps" }).getByRole("listitem").filter({ hasText: "echo granted" });
    await expect(step).toHaveCount(1);
    await expect(step).toContainText("ok");
  }
  await expect(lastEntry(page)).toContainText("by you");
  await tell(page, took);
});
