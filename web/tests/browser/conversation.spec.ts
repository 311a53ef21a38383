import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { badge, bar, expect, isPhone, openAgent, openTab, say, test } from "./fixtures";

test("a message is sent and its reply streams in", async ({ enter, fresh }) => {
  const page = await enter();
  const name = fresh("talker");
  await openAgent(page, name);
  await say(page, "slow:4");
  await expect(badge(page)).toHaveAttribute("data-status", "working");
  const reply = page.locator(".entry").last().locator(".reply");
  await expect(reply).toContainText("alpha");
  expect(await reply.textContent()).not.toContain("fourteen");
  await expect(reply).toContainText("fourteen");
  await expect(page.locator(".entry").last()).toHaveAttribute("data-state", "completed");
  await expect(page.locator(".entry")).toHaveCount(1);
});

test("code comes as a card that can be copied, JSON as a tree", async ({ enter, fresh, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await enter();
  await openAgent(page, fresh("coder"));
  await say(page, "code:");
  const card = page.locator(".code-card");
  await expect(card.locator(".card-title")).toHaveText("python");
  await expect(card.locator("code")).toContainText('    return f"Hello, {name}!"');
  // While the reply streams, its cards are drawn anew.
  await expect(page.locator(".entry").last()).toHaveAttribute("data-state", "completed");
  await card.getByRole("button", { name: "Copy" }).click();
  await expect(card.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("def greet(name: str) -> str:\n");
  await say(page, "json");
  await expect(page.locator(".json-card")).toContainText("gamma");
});

test("messages wait their turn, and one can be sent at once", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("queuer"));
  await say(page, "wait:60");
  await expect(badge(page)).toHaveAttribute("data-status", "working");
  await say(page, "say:first");
  await say(page, "say:second");
  await expect(page.locator(".queue")).toContainText("2 queued");
  const first = page.locator(".queue-chip").filter({ hasText: "say:first" });
  await first.getByRole("button", { name: "Edit" }).click();
  await expect(bar(page)).toHaveValue("say:first");
  await bar(page).fill("");
  await expect(page.locator(".queue")).toContainText("1 queued");
  await expect(page.locator(".entry")).toHaveCount(1);
  await page.locator(".queue-chip").getByRole("button", { name: "Send now" }).click();
  await expect(page.locator(".queue")).toHaveCount(0);
  await expect(page.locator(".entry").filter({ hasText: "say:second" }).locator(".reply")).toContainText("second");
  await expect(page.locator(".entry").filter({ hasText: "wait:60" })).toHaveAttribute("data-state", "canceled");
  // What was taken back or sent in another way leaves no bubble, after a reload neither.
  await expect(page.locator(".entry")).toHaveCount(2);
  await page.reload();
  await expect(page.locator(".entry").filter({ hasText: "wait:60" })).toBeVisible();
  await expect(page.locator(".entry")).toHaveCount(2);
});

test("an edited message keeps its place in the queue, and the draft in the bar is not lost", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("editor"));
  await say(page, "wait:60");
  await expect(badge(page)).toHaveAttribute("data-status", "working");
  for (const word of ["one", "two", "three"]) await say(page, `say:${word}`);
  const chips = page.locator(".queue-chip");
  await expect(chips).toHaveCount(3);
  await bar(page).fill("a draft");
  await chips.filter({ hasText: "say:one" }).getByRole("button", { name: "Edit" }).click();
  await expect(bar(page)).toHaveValue("say:one");
  await bar(page).fill("say:first");
  await page.getByRole("button", { name: "Queue until it is free" }).click();
  await expect(bar(page)).toHaveValue("a draft");
  await expect(chips.locator(".queue-text")).toHaveText(["say:first", "say:two", "say:three"]);
  await expect(page.locator(".entry")).toHaveCount(1);
});

test("a message is sent again, edited first, and linked to", async ({ enter, fresh, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await enter();
  await openAgent(page, fresh("repeater"));
  await say(page, "say:once");
  const entries = page.locator(".entry");
  await expect(entries.locator(".reply")).toContainText("once");
  await expect(entries.locator(".task-chip")).toHaveCount(0);
  // Until they are asked for they are not there, so that "Send" is one button.
  await expect(page.getByRole("button", { name: "Send" })).toHaveCount(1);
  await entries.getByRole("button", { name: "Message actions" }).click();
  await entries.getByRole("button", { name: "Send again", exact: true }).click();
  await expect(entries).toHaveCount(2);
  await expect(entries.last().locator(".reply")).toContainText("once");
  await entries.last().getByRole("button", { name: "Message actions" }).click();
  await entries.last().getByRole("button", { name: "Edit and send again" }).click();
  await expect(bar(page)).toHaveValue("say:once");
  await say(page, "long:80");
  await expect(entries).toHaveCount(3);
  // The first one's are open since before.
  await entries.first().getByRole("button", { name: "Copy link" }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.goto(link);
  await expect(page.locator(".entry.is-meant .bubble")).toHaveText("say:once");
  await expect(page.locator(".entry.is-meant")).toBeInViewport();
});

test("a draft is kept for each agent", async ({ enter, fresh }) => {
  const page = await enter();
  const name = fresh("drafted");
  await openAgent(page, name);
  await bar(page).fill("not yet");
  await page.reload();
  await expect(bar(page)).toHaveValue("not yet");
});

test("Enter sends at a desk and makes a line on a phone; an input method keeps its Enter", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("typist"));
  const field = bar(page);
  await field.focus();
  await field.evaluate((box) => box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true })));
  await field.pressSequentially("say:typed");
  await field.press("Enter");
  if (isPhone(page)) await expect(field).toHaveValue("say:typed\n");
  else await expect(page.locator(".entry .reply")).toContainText("typed");
});

test("a file is dropped on the bar and goes with the message", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("receiver"));
  const data = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["a,b\n1,2\n"], "table.csv", { type: "text/csv" }));
    return transfer;
  });
  await page.locator(".message-bar").dispatchEvent("drop", { dataTransfer: data });
  await expect(page.locator(".attached")).toContainText("table.csv");
  // A button does the same, since phones drop nothing; a picture is shown.
  const picture = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Attach files" }).click()]);
  await chooser.setFiles({ name: "dot.png", mimeType: "image/png", buffer: picture });
  await expect(page.locator(".attached img")).toBeVisible();
  await say(page, "say:got it");
  await expect(page.locator(".entry").last().locator(".bubble")).toContainText("table.csv");
  const shown = page.locator(".entry").last().getByRole("img", { name: "dot.png" });
  await expect(shown).toBeVisible();
  await page.reload();
  await expect(shown).toBeVisible();
  await expect(page.locator(".entry").last()).toHaveAttribute("data-state", "completed");
});

test("code and files that a reply names open in Files, a long reply in the terminal", async ({ enter, world, fresh }) => {
  const page = await enter();
  const name = fresh("pointer");
  await openAgent(page, name);
  writeFileSync(join(world.home, name, "cart.py"), "def total(prices):\n    return sum(prices)\n");
  await page.route("**/messages*", async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { tasks: Record<string, unknown>[] };
    const text = (type: string, said: string) => ({ type, parts: [{ type: "text", text: said }] });
    const file = { type: "file", name: "cart.py:1", parts: [], metadata: { path: "cart.py:1" } };
    for (const task of body.tasks) task["artifacts"] = [text("text", "In `cart.py` it is now:"), text("code", "x = 1"), file];
    await route.fulfill({ response: answer, json: body });
  });
  await say(page, "say:done");
  await expect(page.locator(".entry .reply")).toContainText("done");
  // The copy that ends a task is none of those that are made up here.
  await expect(page.locator(".entry")).toHaveAttribute("data-state", "completed");
  await page.reload();
  await expect(page.locator(".code-card .card-title")).toHaveText("cart.py");
  await page.locator(".code-card").getByRole("link", { name: "Open in Files" }).click();
  await expect(page.locator(".files .code")).toContainText("return sum(prices)");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download" }).click()]);
  expect(download.suggestedFilename()).toBe("cart.py");
  expect(readFileSync(await download.path(), "utf8")).toContain("return sum(prices)");
  if (isPhone(page)) await openTab(page, "Conversation");
  await page.locator(".file-card").getByRole("link", { name: "Open in Files" }).click();
  await expect(page.locator(".files .code")).toContainText("return sum(prices)");
  await page.unroute("**/messages*");
  if (isPhone(page)) await openTab(page, "Conversation");
  await say(page, "long:200");
  await page.getByRole("link", { name: "Show in the terminal" }).click();
  await expect(page.locator(".xterm-rows")).toContainText("line 7 of 200");
  await expect(page.locator(".xterm-rows")).not.toContainText("line 200 of 200");
});
