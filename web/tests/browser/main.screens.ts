// Pictures of the main screens for docs/screens, made with agents that talk like real ones. `npm run screens`.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { bar, expect, openAgent, openTab, say, test } from "./fixtures";
import { World } from "./world";

const FOLDER = join(import.meta.dirname, "../../../docs/screens");
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

async function scene(world: World, page: Page): Promise<void> {
  world.run("git", "worktree", "add", "-q", "-b", "login", "../shop-login");
  world.run("git", "worktree", "add", "-q", "-b", "docs", "../shop-docs");
  const [login, docs] = [join(world.home, "shop-login"), join(world.home, "shop-docs")];
  writeFileSync(join(login, "src/cart.py"), "def total(prices):\n    \"\"\"Sum of the prices, to the cent.\"\"\"\n    return round(sum(prices), 2)\n");
  writeFileSync(join(login, "src/login.py"), "def login(name, word):\n    return check(name, word)\n");
  world.startAgent("reviewer", world.repository);
  world.startAgent("coder", login);
  world.startAgent("tester", login);
  world.startAgent("writer", docs);
  world.startAgent("fixer", login, "worker");
  writeFileSync(join(login, "go"), "");
  await page.goto(await world.startHub());
  world.synapse("send", "fixer", "The total of the cart shows 0.30000000000000004. Round it to the cent, please.", "--return");
  rmSync(join(login, "go"));
  await openAgent(page, "coder");
  await say(page, "Write the greeting for the login page, please. code:");
  await expect(page.locator(".code-card")).toBeVisible();
  await bar(page).fill("@reviewer The greeting is ready for review.");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(bar(page)).toHaveValue("");
  await bar(page).fill("@tester Please run the tests of the login page.");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(bar(page)).toHaveValue("");
  world.send("coder", "Check that it works. ask:yn Run `pytest -q tests/login` in shop-login?");
  world.send("tester", "Read all tests. slow:300");
  world.send("tester", "And then the cart, please.");
  await expect(page.locator(".prompt-card")).toBeVisible();
}

test("the main screens", async ({ browser }) => {
  test.setTimeout(180_000);
  mkdirSync(FOLDER, { recursive: true });
  const world = new World();
  try {
    world.makeRepository();
    world.writeProfiles();
    world.writeWorker();
    const desk = await browser.newContext({ viewport: DESK, locale: "en-GB", reducedMotion: "reduce" });
    const page = await desk.newPage();
    const shoot = async (name: string, scheme: "light" | "dark" = "light") => {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
      await expect(page.locator(".loading")).toHaveCount(0);
      await expect(page.getByTestId("toast")).toHaveCount(0);
      await page.screenshot({ path: join(FOLDER, `${name}.png`) });
    };
    const hub = world;
    // The hub must be there before its agents talk, and agents before the page is looked at.
    await scene(hub, page);
    await expect(page.locator(".xterm-rows")).toContainText("pytest");
    await shoot("agent");
    await shoot("agent-dark", "dark");
    const agent = new URL(page.url()).pathname;
    await openTab(page, "Changes");
    await expect(page.locator(".changed-file")).toHaveCount(2);
    await shoot("changes");
    await page.goto(`${world.url}/a/fixer/changes`);
    await expect(page.locator(".changed-file")).toHaveCount(2);
    await page.locator(".step", { hasText: "Edit" }).locator("summary").click();
    const line = page.locator(".diff-add").filter({ hasText: "round(sum(prices), 2)" }).last();
    await line.hover();
    await line.getByRole("button", { name: /Comment on line/ }).click();
    await page.getByRole("textbox", { name: "Comment", exact: true }).fill("Prices are in cents elsewhere: please use them here, too.");
    await shoot("review");
    await page.goto(`${world.url}/`);
    await expect(page.locator("[data-agent]")).toHaveCount(5);
    await shoot("agents");
    await shoot("agents-dark", "dark");
    await page.goto(`${world.url}/mesh`);
    await expect(page.locator(".node")).not.toHaveCount(0);
    await shoot("mesh");
    await page.goto(`${world.url}/w`);
    await expect(page.locator("[data-worktree]")).toHaveCount(3);
    await shoot("worktrees");

    const pocket = await browser.newContext({ viewport: PHONE, hasTouch: true, isMobile: true, deviceScaleFactor: 2, locale: "en-GB", reducedMotion: "reduce", storageState: await desk.storageState() });
    const phone = await pocket.newPage();
    const snap = async (path: string, name: string, scheme: "light" | "dark" = "light") => {
      await phone.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
      await phone.goto(world.url + path);
      await expect(phone.locator("h1").first()).toBeVisible();
      await expect(phone.locator(".loading")).toHaveCount(0);
      if (path.endsWith("/terminal")) await expect(phone.locator(".xterm-rows")).toContainText("pytest");
      await phone.screenshot({ path: join(FOLDER, `${name}.png`) });
    };
    await snap("/", "phone-agents");
    await snap(agent, "phone-agent");
    await snap(agent, "phone-agent-dark", "dark");
    await snap(`${agent}/terminal`, "phone-terminal", "dark");
    await snap("/inbox", "phone-inbox");
    await snap("/mesh", "phone-mesh");
    await snap("/settings", "phone-settings", "dark");
  } finally {
    await world.end();
  }
});
