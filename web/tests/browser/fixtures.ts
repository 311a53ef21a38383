// What every test of the page has: a world shared by all, a page that is let in, and an eye on the content policy.

import { expect, test as base, type Page } from "@playwright/test";
import { World } from "./world";

type Shared = { world: World };
type Each = { enter: (path?: string) => Promise<Page>; fresh: (name: string) => string };

let count = 0;

export const test = base.extend<Each, Shared>({
  world: [
    async ({}, use) => {
      const world = new World();
      try {
        world.makeRepository();
        world.writeProfiles();
        world.writeRunner();
        world.writeWorker();
        world.writeConfig();
        await world.startHub();
        await use(world);
      } finally {
        await world.end();
      }
    },
    { scope: "worker" },
  ],

  /** Lets the page in by a one-time link. Whatever the policy reported by the end fails the test. */
  enter: async ({ page, world }, use) => {
    const reports: string[] = [];
    page.on("console", (message) => {
      if (/Content Security Policy/.test(message.text())) reports.push(message.text());
    });
    page.on("pageerror", (error) => reports.push(String(error.stack ?? error)));
    await use(async (path = "/") => {
      await page.goto(world.link());
      await expect(page.getByRole("main")).toBeVisible();
      if (path !== "/") await page.goto(world.url + path);
      return page;
    });
    expect(reports).toEqual([]);
  },

  /** A name no other test has, and an agent by that name. */
  fresh: async ({ world }, use) => {
    const started: string[] = [];
    await use((name) => {
      count += 1;
      const handle = `${name}${count}`;
      world.startAgent(handle);
      started.push(handle);
      return handle;
    });
    for (const handle of started) world.tryRun("stop", handle);
  },
});

export { expect };

export const isPhone = (page: Page) => (page.viewportSize()?.width ?? 0) < 768;

/** Opens an agent from the list. */
export async function openAgent(page: Page, handle: string): Promise<void> {
  await page.locator(`[data-agent="${handle}"] .agent-link`).click();
  await expect(page.getByRole("heading", { name: handle, level: 1 })).toBeVisible();
}

export async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name }).click();
}

export async function say(page: Page, text: string): Promise<void> {
  await bar(page).fill(text);
  await page.getByRole("button", { name: /^(Send|Queue until it is free)$/ }).click();
  await expect(bar(page)).toHaveValue("");
}

export const bar = (page: Page) => page.getByRole("textbox", { name: /^Message to/ });
export const badge = (page: Page) => page.locator(".agent-head .badge");
export const toast = (page: Page, text: string | RegExp) => page.getByTestId("toast").filter({ hasText: text });
export const stopButton = (page: Page) => page.locator(".message-bar").getByRole("button", { name: "Stop" });
