// The extension as a person uses it, in a real VS Code. One window for all: starting one takes longest.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, type Page } from "@playwright/test";
import { Editor, Window } from "./editor";

const PICTURES = process.env["PICTURES"];

const FLOW = `name: hello
inputs: {goal: {default: a login page}}
steps:
  ship: {gate: "Ship \${inputs.goal}?", run: [echo, shipped]}
`;

test.describe.configure({ mode: "serial" });

let editor: Editor;
let page: Page;
let window: Window;
const reports: string[] = [];

test.beforeAll(async ({ browser }) => {
  test.setTimeout(180_000);
  editor = new Editor();
  const { world } = editor;
  world.makeRepository();
  world.writeProfiles();
  world.writeRunner();
  mkdirSync(join(world.home, ".synapse/flows"));
  writeFileSync(join(world.home, ".synapse/flows/hello.yaml"), FLOW);
  // A project that would have its own program run in place of ours.
  const trap = join(world.repository, "trap");
  writeFileSync(trap, "#!/bin/sh\ntouch \"$0.sprung\"\n", { mode: 0o755 });
  mkdirSync(join(world.repository, ".vscode"));
  writeFileSync(join(world.repository, ".vscode/settings.json"), JSON.stringify({ "synapse.path": trap }));
  writeFileSync(join(world.repository, ".git/info/exclude"), ".vscode\ntrap*\n");
  // No hub: the extension starts it.
  world.startAgent("coder", world.repository);
  world.startAgent("careful", world.repository, "runner");
  await editor.start();
  page = await browser.newPage();
  page.on("console", (message) => {
    if (/Content Security Policy/.test(message.text()) && /synapse|vscode-cdn|webview/.test(message.location().url)) reports.push(`${message.text()} ${message.location().url}`);
  });
  window = await editor.open(page);
});

test.afterAll(async () => {
  await page?.close();
  await editor?.end();
});

/** What a person would have seen, where something failed. */
test.afterEach(async ({}, info) => {
  if (info.status !== info.expectedStatus) await page?.screenshot({ path: info.outputPath("window.png") });
});

async function picture(name: string): Promise<void> {
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

test("the view shows the agents by worktree, and starts the hub for it", async () => {
  await window.activity.click();
  await expect(window.row("coder")).toContainText("idle");
  await expect(window.row("shop")).toContainText("main");
  await expect(page.locator(".statusbar")).toContainText("Synapse");
  expect(editor.world.synapse("web", "login", "--json")).toContain("http://127.0.0.1:");
});

test("a selection is sent with its path and lines", async () => {
  await window.openFile("cart.py");
  await page.locator(".monaco-editor .view-line").first().click();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Control+Alt+Enter");
  await expect(window.input).toHaveValue(/^@c\w+ $/);
  await window.input.fill("@c");
  await expect(window.offers).toHaveCount(2);
  await window.input.fill("@cod");
  await expect(window.offers).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(window.input).toHaveValue("@coder ");
  await window.input.fill("@coder echo: explain this");
  await picture("send");
  await page.keyboard.press("Enter");
  const sent = window.toast("Sent to @coder");
  await window.press(sent, "Open conversation");
  const asked = window.conversation.locator(".asked").last();
  await expect(asked).toContainText("src/cart.py, lines 1-2:");
  await expect(asked).toContainText("return sum(prices)");
  await expect(window.conversation.locator(".entry").last()).toContainText("explain this");
});

test("a reply streams into the conversation", async () => {
  const bar = window.conversation.getByRole("textbox", { name: "Message to coder" });
  await bar.fill("long:40 0.1");
  await bar.press("Enter");
  const last = window.conversation.locator(".entry").last();
  await expect(last).toContainText("line 3 of 40");
  await expect(last).not.toContainText("line 40 of 40", { timeout: 1 });
  await expect(last).toContainText("line 40 of 40");
  await bar.fill("code:");
  await bar.press("Enter");
  await expect(window.conversation.locator(".code-card").last()).toContainText("def greet");
  await picture("conversation");
});

test("a permission is answered in the notification, and in the view", async () => {
  editor.world.send("careful", "rm -rf build");
  const question = window.toast("Do you want to proceed?");
  await expect(question).toContainText("rm -rf build");
  await expect(page.locator('.activitybar .badge-content:has-text("1")')).toBeVisible();
  await expect(page.locator(".statusbar")).toContainText("1 waiting");
  await expect(page.locator(".sidebar .monaco-list-row").nth(1)).toContainText("careful");
  await expect(window.row("Do you want to proceed?")).toBeVisible();
  await picture("question");
  await window.press(question, "Yes");
  await expect(window.row("careful")).toContainText("idle");
  expect(editor.world.synapse("screen", "careful")).toContain("ok: yes");
  await expect(page.locator(".statusbar")).not.toContainText("waiting");

  editor.world.send("careful", "rm -rf all");
  await expect(window.row("Do you want to proceed?")).toContainText("rm -rf all");
  await window.row(/^No$/).click();
  await expect(window.row("careful")).toContainText("idle");
  expect(editor.world.synapse("screen", "careful")).toContain("ok: no");
  // Its notification is late; its answer reaches no other question.
  await window.press(window.toast("Do you want to proceed?"), "Yes");
  await expect(window.toast("careful does not ask that any more.")).toBeVisible();
});

test("what an agent says becomes no command, link or markup of the editor", async () => {
  await window.run("Notifications: Clear All Notifications");
  editor.world.send("careful", "rm [all is well](command:workbench.action.closeSidebar)");
  const question = window.toast("Do you want to proceed?");
  await expect(question).toContainText("(command:workbench.action.closeSidebar)");
  await expect(question.locator(".notification-list-item-message a")).toHaveCount(0);
  await window.press(question, "No");
  await expect(window.row("careful")).toContainText("idle");

  const bar = window.conversation.getByRole("textbox", { name: "Message to coder" });
  await bar.fill("say:[all is well](command:workbench.action.closeSidebar) [x](javascript:alert(1)) <img src=x onerror=alert(1)><script>alert(1)</script>");
  await bar.press("Enter");
  const last = window.conversation.locator(".entry").last();
  await expect(last).toContainText("<script>alert(1)</script>");
  await expect(last.locator("script, img, a[href^='command'], a[href^='javascript']")).toHaveCount(0);
});

test("Stop tells that it was confirmed", async () => {
  editor.world.send("coder", "wait:300");
  await expect(window.row("coder")).toContainText("working");
  await window.row("coder").hover();
  await window.row("coder").getByRole("button", { name: "Stop" }).click();
  await expect(window.toast("coder stopped.")).toBeVisible();
  await expect(window.row("coder")).toContainText("idle");
  // From the palette, the agent of the conversation in front is meant. Presses within a second are one.
  await expect(async () => {
    await window.run("Synapse: Stop");
    await expect(window.toast("Nothing is running: coder is idle.")).toBeVisible({ timeout: 2_000 });
  }).toPass();
});

test("changes are shown in the diff editor", async () => {
  writeFileSync(join(editor.world.repository, "src/cart.py"), "def total(prices):\n    return round(sum(prices), 2)\n");
  await window.run("Notifications: Clear All Notifications");
  await window.row("coder").hover();
  await window.row("coder").getByRole("button", { name: "Show changes" }).click();
  const diff = page.locator(".monaco-diff-editor");
  await expect(diff.locator(".editor.original")).toContainText("return sum(prices)");
  await expect(diff.locator(".editor.modified")).toContainText("return round(sum(prices), 2)");
  await expect(page.getByRole("tab", { name: "cart.py (HEAD ↔ main)" })).toBeVisible();
  await picture("changes");
});

test("the terminal is the agent's own", async () => {
  await window.row("coder").hover();
  await window.row("coder").getByRole("button", { name: "Open terminal" }).click();
  const rows = page.locator(".terminal-wrapper.active .xterm-rows");
  await expect(rows).toContainText("dummy>");
  await page.locator(".terminal-wrapper.active .xterm-helper-textarea").focus();
  await page.keyboard.type("say:from the terminal");
  await page.keyboard.press("Enter");
  await expect(rows).toContainText("from the terminal");
  await expect.poll(() => editor.world.synapse("screen", "coder")).toContain("say:from the terminal");
  await picture("terminal");
});

test("a conversation holds no secret and reaches nothing but its agent", async () => {
  const place = window.conversation.locator("#app");
  const refused = await place.evaluate(async () => {
    const response = await fetch("/api/devices", { method: "POST", body: '{"read_only":false}' });
    return [response.status, await response.text()];
  });
  expect(refused).toEqual([403, expect.stringContaining("not_here")]);
  const kept = await place.evaluate(() => JSON.stringify({ ...localStorage }) + document.cookie + document.documentElement.outerHTML);
  expect(kept).toContain("synapse.prefs");
  expect(kept).not.toMatch(/synapse\.key|synapse_\d+=|127\.0\.0\.1:\d+\/api/);
});

test("a file is sent by its name", async () => {
  await window.run("Synapse: Send file to agent…");
  await window.input.fill("@coder echo: look at");
  await page.keyboard.press("Enter");
  await expect(window.conversation.locator(".asked").last()).toContainText("src/cart.py (3 lines)");
});

test("a new agent is started where it was asked for", async () => {
  await window.run("Synapse: New agent…");
  await window.choose("dummy");
  await window.choose("shop");
  await expect(window.input).toHaveValue("");
  await window.input.fill("helper");
  await page.keyboard.press("Enter");
  await expect(window.row("helper")).toContainText("idle");
  await expect(window.conversation.getByRole("heading", { name: "helper" })).toBeVisible();
  expect(JSON.parse(editor.world.synapse("list", "--json")).agents.map((one: { handle: string }) => one.handle)).toContain("helper");
});

test("a new worktree is made, with an agent in it", async () => {
  await window.run("Synapse: New worktree…");
  await window.choose("shop");
  await window.input.fill("fix/total");
  await page.keyboard.press("Enter");
  await window.choose("main");
  await window.choose("dummy");
  await expect(window.toast("fix/total is at")).toBeVisible();
  await expect(window.row("shop-fix-total")).toContainText("fix/total");
  expect(existsSync(join(editor.world.home, "shop-fix-total/src/cart.py"))).toBe(true);
});

test("a flow is started, and its gate answered in the view", async () => {
  await window.run("Synapse: Start a flow…");
  await window.choose("hello");
  await expect(window.input).toHaveValue("a login page");
  await page.keyboard.press("Enter");
  await window.choose("shop");
  await expect(window.row("Ship a login page?")).toBeVisible();
  await window.row(/^yes$/).click();
  await expect(window.row("Ship a login page?")).toHaveCount(0);
  await expect.poll(() => editor.world.synapse("flow", "list", "--json")).toMatch(/"state": ?"done"/);
});

test("no program of the project was run in place of ours", () => {
  expect(existsSync(join(editor.world.repository, "trap.sprung"))).toBe(false);
});

test("the policy of the conversation was never offended", () => {
  expect(reports).toEqual([]);
});
