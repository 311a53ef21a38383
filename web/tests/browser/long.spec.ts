import type { Page } from "@playwright/test";
import { bar, expect, openAgent, test } from "./fixtures";
import { longConversation } from "./long-conversation";

const MANY = 1_300;
const entry = (page: Page, n: number) => page.locator(".entry").filter({ has: page.locator(".bubble", { hasText: new RegExp(`^message ${n}$`) }) });

test("a message far back in a long conversation is opened, and the way from there to the end", async ({ enter, world, fresh }) => {
  const page = await enter();
  const name = fresh("talker");
  await openAgent(page, name);
  const agent = new URL(page.url()).pathname.split("/")[2] ?? "";
  await longConversation(page, agent, name, MANY);
  await page.goto(`${world.url}/a/${agent}?message=task-100`);
  await expect(entry(page, 100)).toBeInViewport();
  const list = page.getByRole("log", { name: "Conversation" });
  for (let more = page.getByRole("button", { name: "Show newer messages" }); (await more.count()) > 0; ) await more.click();
  await list.evaluate((box) => (box.scrollTop = box.scrollHeight));
  // Nothing was forgotten on the way, and only a stretch of it is drawn.
  await expect(entry(page, MANY)).toBeInViewport();
  expect(await page.locator(".entry").count()).toBeLessThanOrEqual(300);
});

test("what is older comes above without moving what is read, and Back finds the place", async ({ enter, world, fresh }) => {
  const page = await enter();
  const name = fresh("elder");
  await openAgent(page, name);
  const agent = new URL(page.url()).pathname.split("/")[2] ?? "";
  await longConversation(page, agent, name, 120);
  await page.goto(`${world.url}/a/${agent}`);
  await expect(entry(page, 120)).toBeInViewport();
  await expect(page.locator(".entry")).toHaveCount(50);
  const list = page.getByRole("log", { name: "Conversation" });
  await list.evaluate((box) => (box.scrollTop = 0));
  const top = async () => Math.round((await entry(page, 71).boundingBox())?.y ?? 0);
  const before = await top();
  await page.getByRole("button", { name: "Show older messages" }).click();
  await expect(page.locator(".entry")).toHaveCount(100);
  expect(Math.abs((await top()) - before)).toBeLessThan(60);
  await expect(page.getByRole("button", { name: "New messages" })).toHaveCount(0);
  await expect(bar(page)).toBeVisible();

  const place = await list.evaluate((box) => Math.round(box.scrollTop));
  expect(place).toBeGreaterThan(500);
  await page.getByRole("link", { name: /Inbox/ }).first().click();
  await expect(page.getByRole("heading", { name: "Inbox", level: 1 })).toBeVisible();
  await page.goBack();
  await expect(entry(page, 71)).toBeInViewport();
});
