import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, isPhone, openAgent, say, stopButton, test, toast } from "./fixtures";

let count = 0;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds, of any weight, in short. */
async function findings(page: Page): Promise<string[]> {
  // Run through the debugger, which the page's policy does not bind.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const tool = (window as unknown as { axe: { run: () => Promise<{ violations: { id: string; impact: string; nodes: { html: string; failureSummary?: string }[] }[] }> } }).axe;
    const { violations } = await tool.run();
    return violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`));
  });
}

async function check(page: Page, what: string): Promise<void> {
  expect(await findings(page), what).toEqual([]);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow, `${what} is wider than the window`).toBeLessThanOrEqual(0);
}

for (const scheme of ["light", "dark"] as const) {
  test(`every screen is accessible, ${scheme}`, async ({ enter, world, fresh, page: blank }) => {
    test.setTimeout(180_000);
    await blank.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await blank.goto(`${world.url}/`);
    await expect(blank.getByLabel("One-time code")).toBeVisible();
    await check(blank, "login");
    const page = await enter();
    const name = fresh("seen");
    await openAgent(page, name);
    await say(page, "code:");
    await expect(page.locator(".code-card")).toBeVisible();
    await say(page, "ask:yn Sure?");
    await expect(page.locator(".prompt-card")).toBeVisible();
    await say(page, "say:later");
    await expect(page.locator(".queue-chip")).toBeVisible();
    const agent = new URL(page.url()).pathname;
    const left = fresh("left");
    world.synapse("send", left, "say:bye", "--return");
    const { tasks } = JSON.parse(world.synapse("tasks", left, "--json")) as { tasks: { id: string }[] };
    world.synapse("stop", left);
    const worker = `seeing${count++}`;
    world.startAgent(worker, undefined, "worker");
    writeFileSync(join(world.home, worker, "go"), "");
    world.synapse("send", worker, "round it", "--return");
    writeFileSync(join(world.home, name, "lines.py"), "def total(prices):\n    return sum(prices)\n");
    world.run("git", "-C", join(world.home, name), "init", "-q");
    const rule = { agent: name, kind: "permission", contains: "never asked", choose: "Yes" };
    const made = await page.evaluate((body) => fetch("/api/auto-answer/rules", { method: "POST", headers: { "Content-Type": "application/json" }, body }).then((answer) => answer.json()), JSON.stringify(rule));
    const tree = await page.evaluate(() => fetch("/api/worktrees").then((answer) => answer.json())) as { repositories: { worktrees: { id: string }[] }[] };
    const worktree = tree.repositories[0]?.worktrees[0]?.id ?? "";
    const paths = [`/a/${left}`, `/a/${worker}`, "/", agent, `${agent}/terminal`, `${agent}/changes`, `${agent}/files`, `${agent}/files?path=lines.py`, `${agent}/info`, "/inbox", "/mesh", "/w", `/w/${worktree}`, `/t/${tasks[0]?.id}`, "/search?q=code", "/settings", "/more", "/nowhere"];
    for (const path of paths) {
      await page.goto(world.url + path);
      await expect(page.locator(".loading")).toHaveCount(0);
      await expect(page.getByRole("heading").first()).toBeVisible();
      if (path === "/") await page.locator("summary", { hasText: "Stopped" }).click();
      if (path.endsWith("/terminal")) await expect(page.locator(".xterm-rows")).toContainText("dummy>");
      if (path.endsWith("lines.py")) {
        await page.getByRole("button", { name: "Comment on line 1" }).click();
        await expect(page.getByRole("textbox", { name: "Comment", exact: true })).toBeFocused();
      }
      await check(page, path);
    }
    // What opens over a screen.
    await page.goto(`${world.url}/mesh`);
    for (const view of ["Graph", "Table"]) {
      await page.getByRole("button", { name: view, exact: true }).click();
      await check(page, `mesh, ${view}`);
    }
    await page.goto(`${world.url}/w`);
    await page.getByRole("button", { name: "New worktree" }).first().click();
    await expect(page.getByRole("dialog").getByLabel("First task")).toBeVisible();
    await check(page, "new worktree");
    await page.goto(`${world.url}/`);
    await page.getByRole("button", { name: "New agent" }).first().click();
    await expect(page.getByRole("dialog").getByLabel("First task")).toBeVisible();
    await check(page, "new agent");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("a");
    await expect(page.getByRole("option").first()).toBeVisible();
    await check(page, "palette");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog")).toContainText("Keyboard shortcuts");
    await check(page, "help");
    world.tryRun("stop", worker);
    // Rules are shared by all tests of this world.
    await page.evaluate((id) => fetch(`/api/auto-answer/rules/${id}`, { method: "DELETE" }), (made as { rule: { id: string } }).rule.id);
  });
}

test("titles and what is below them begin at one edge", async ({ enter, world, fresh }) => {
  const page = await enter();
  const name = fresh("edged");
  world.synapse("send", name, "say:on the edge", "--return");
  const { tasks } = JSON.parse(world.synapse("tasks", name, "--json")) as { tasks: { id: string }[] };
  for (const path of ["/search?q=edge", `/t/${tasks[0]?.id}`, "/settings", "/"]) {
    await page.goto(world.url + path);
    await expect(page.locator(".loading")).toHaveCount(0);
    const lefts = await page.evaluate(() => {
      const seen = [...document.querySelectorAll("main h1, .screen-body > *, .screen-body h2")].filter((one) => one.closest(".settings-group, details") === null || one.matches(".settings-group"));
      return seen.map((one) => Math.round(one.getBoundingClientRect().left));
    });
    expect(lefts.length, path).toBeGreaterThan(1);
    expect(new Set(lefts).size, `${path}: ${lefts}`).toBe(1);
  }
});

test("the theme follows the system, and what was chosen over it", async ({ enter }) => {
  const page = await enter("/settings");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await ground();
  await page.emulateMedia({ colorScheme: "light" });
  const light = await ground();
  expect(dark).not.toBe(light);
  await page.getByLabel("Theme").selectOption("dark");
  expect(await ground()).toBe(dark);
  await page.reload();
  await expect(page.getByLabel("Theme")).toHaveValue("dark");
  expect(await ground()).toBe(dark);
});

test("the page speaks Japanese, with exact words for a failed stop", async ({ enter, world, fresh }) => {
  const page = await enter("/settings");
  await page.getByLabel("Language").selectOption("ja");
  await expect(page.getByRole("heading", { name: "設定", level: 1 })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "ja");
  const name = fresh("japan");
  await page.goto(world.url);
  await openAgent(page, name);
  await expect(page.locator(".agent-head .badge")).toContainText("待機");
  const answers = [
    { status: 404, text: "セッションが起動していません" },
    { status: 500, text: "中断に失敗しました" },
  ];
  const stop = page.locator(".message-bar").getByRole("button", { name: "停止" });
  for (const { status, text } of answers) {
    await page.route("**/interrupt", (route) => route.fulfill({ status, json: { error: "x", code: "" } }));
    await expect(stop).toHaveAttribute("data-state", "idle");
    await stop.click();
    await expect(toast(page, text)).toBeVisible();
    await page.unroute("**/interrupt");
  }
  await page.route("**/interrupt", (route) => route.abort("connectionfailed"));
  await expect(stop).toHaveAttribute("data-state", "idle");
  await stop.click();
  await expect(toast(page, "通信エラー。再試行してください")).toBeVisible();
});

test("the stop button is orange, as large as send, and always there", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("orange"));
  const stop = await stopButton(page).boundingBox();
  const send = await page.getByRole("button", { name: "Send" }).boundingBox();
  expect([stop?.width, stop?.height]).toEqual([send?.width, send?.height]);
  if (isPhone(page)) expect(stop?.height).toBeGreaterThanOrEqual(44);
  const [red, green, blue] = await stopButton(page).evaluate((button) => (getComputedStyle(button).color.match(/\d+/g) ?? []).map(Number));
  expect(red).toBeGreaterThan((green ?? 0) * 2);
  expect(green).toBeGreaterThan(blue ?? 0);
});

test("keys go places, and the palette finds things", async ({ enter, fresh }) => {
  const page = await enter();
  test.skip(isPhone(page), "for keyboards");
  const name = fresh("found");
  await expect(page.locator(`[data-agent="${name}"]`)).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("m");
  await expect(page.getByRole("heading", { name: "Mesh", level: 1 })).toBeVisible();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toContainText("Keyboard shortcuts");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill(name);
  await expect(page.getByRole("option").first()).toContainText(name);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
});

test("the palette opens the best match and names the worktree of a file", async ({ enter }) => {
  const page = await enter();
  test.skip(isPhone(page), "for keyboards");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("cart.py");
  const file = page.getByRole("option").filter({ hasText: "src/cart.py" });
  await expect(file).toContainText("shop");
  await page.keyboard.press("Enter");
  await expect(page.locator(".files .code")).toContainText("def total");
});

test("Back shows a screen where it was left", async ({ enter }) => {
  const page = await enter("/settings");
  const body = page.locator(".screen-body");
  await expect(page.getByRole("heading", { name: "Programs" })).toBeVisible();
  await body.evaluate((box) => (box.scrollTop = 240));
  await page.getByRole("link", { name: /Inbox/ }).first().click();
  await expect(page.getByRole("heading", { name: "Inbox", level: 1 })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Settings", level: 1 })).toBeVisible();
  await expect.poll(() => body.evaluate((box) => Math.round(box.scrollTop))).toBe(240);
});

test("the Inbox is counted alike everywhere", async ({ enter, world, fresh }) => {
  const page = await enter();
  const name = fresh("counted");
  world.send(name, "ask:yn Count me?");
  await expect(page.locator(`[data-agent="${name}"] .prompt-card`)).toBeVisible();
  await page.getByRole("link", { name: /Inbox/ }).first().click();
  await expect(page.locator(`.inbox-item[data-agent="${name}"]`)).toBeVisible();
  const items = await page.locator(".inbox-item").count();
  await expect(page.getByRole("link", { name: /Inbox/ }).first().locator(".count-bubble")).toHaveText(String(items));
  await expect(page.locator(".screen-note")).toContainText(String(items));
});

test("letters do nothing once they are switched off", async ({ enter }) => {
  const page = await enter();
  test.skip(isPhone(page), "for keyboards");
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("switch", { name: "Single-letter shortcuts" }).click();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await page.keyboard.press("?");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox")).toBeVisible();
  await expect(dialog).toHaveCount(1);
});

test("a phone has the rest of an agent's head in a menu", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("menu"));
  const more = page.locator(".agent-menu");
  if (!isPhone(page)) {
    await expect(more).toBeHidden();
    return;
  }
  const items = more.getByRole("link");
  await expect(items.first()).toBeHidden();
  await more.locator("summary").tap();
  await expect(more).toContainText("dummy");
  await expect(items.first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(items.first()).toBeHidden();
  await more.locator("summary").tap();
  await more.getByRole("link", { name: "Details" }).tap();
  await expect(page.getByRole("button", { name: /End/ })).toBeVisible();
  await expect(items.first()).toBeHidden();
});

test("the head of a phone's list is small, and every tool of its terminal in view", async ({ enter, fresh }) => {
  const page = await enter();
  test.skip(!isPhone(page), "for phones");
  const name = fresh("small");
  await expect(page.locator(`[data-agent="${name}"]`)).toBeVisible();
  expect((await page.locator(".screen-head").boundingBox())?.height).toBeLessThan(90);
  await openAgent(page, name);
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Terminal" }).click();
  const tools = page.getByRole("toolbar").getByRole("button");
  await expect(tools).toHaveCount(7);
  for (const tool of await tools.all()) await expect(tool).toBeInViewport({ ratio: 1 });
});

test("a phone changes tabs by a swipe", async ({ enter, fresh }) => {
  const page = await enter();
  test.skip(!isPhone(page), "for fingers");
  await openAgent(page, fresh("swiped"));
  const client = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", x: number) =>
    client.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y: 400 }] });
  await touch("touchStart", 330);
  for (let x = 310; x >= 90; x -= 40) await touch("touchMove", x);
  await touch("touchEnd", 0);
  await expect(page.getByTestId("terminal")).toBeVisible();
});

test("the rail closes and comes back; a tablet has it in a drawer", async ({ enter, fresh }) => {
  const page = await enter();
  test.skip(isPhone(page), "for wide windows");
  const name = fresh("railed");
  await expect(page.locator(".rail-agents")).toContainText(name);
  await page.getByRole("button", { name: "Close the sidebar" }).click();
  await expect(page.locator(".rail-agents")).toHaveCount(0);
  await page.reload();
  await page.getByRole("button", { name: "Open the menu" }).click();
  await page.getByRole("button", { name: "Keep open" }).click();
  await expect(page.locator(".rail-agents")).toContainText(name);
  await page.setViewportSize({ width: 820, height: 1000 });
  await page.getByRole("button", { name: "Open the menu" }).click();
  await page.getByRole("dialog").getByRole("link", { name }).click();
  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("navigation", { name: "Views" }).getByRole("link")).toHaveCount(5);
});
