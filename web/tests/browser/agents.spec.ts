import { expect, isPhone, test } from "./fixtures";
import { World } from "./world";

test("the list is live: agents come, work, wait and go", async ({ enter, world, fresh }) => {
  const page = await enter();
  const name = fresh("live");
  const row = page.locator(`[data-agent="${name}"]`);
  await expect(row.locator(".badge")).toHaveAttribute("data-status", "idle");
  world.send(name, "wait:30");
  await expect(row.locator(".badge")).toHaveAttribute("data-status", "working");
  await expect(row).toContainText("wait:30");
  await row.getByRole("button", { name: `Stop ${name}` }).click();
  await expect(row.locator(".badge")).toHaveAttribute("data-status", "idle");
  await expect(row).toContainText("Stopped: wait:30");
  world.synapse("send", name, "say:all **done**", "--return");
  await expect(row.locator(".agent-doing")).toHaveText("all done");
  await page.mouse.move(0, 0);
  world.send(name, "ask:yn Ready?");
  await expect(row.locator(".badge")).toHaveAttribute("data-status", "waiting");
  await expect(page).toHaveTitle(/^\(\d+\) Synapse$/);
  await expect(page.locator("[data-agent]").first()).toHaveAttribute("data-agent", name);
  world.synapse("stop", name);
  await expect(row).toHaveCount(0);
});

test("a question is answered in place, from the list and from the inbox", async ({ enter, world, fresh }) => {
  const page = await enter();
  const name = fresh("asker");
  world.send(name, "ask:yn Shall I?");
  const row = page.locator(`[data-agent="${name}"]`);
  await row.getByRole("button", { name: "Yes" }).click();
  await expect(row.locator(".badge")).toHaveAttribute("data-status", "idle");
  world.send(name, "ask:pick red|green|blue");
  await page.getByRole("link", { name: /Inbox/ }).first().click();
  const item = page.locator(`.inbox-item[data-agent="${name}"]`);
  await item.getByRole("button", { name: "green" }).click();
  await expect(item).toHaveCount(0);
});

test("without agents it says how to start one, and starts the demo", async ({ browser }) => {
  const world = new World();
  try {
    world.makeRepository();
    const page = await browser.newPage();
    await page.goto(await world.startHub());
    await expect(page.getByText("No agent is running yet")).toBeVisible();
    await expect(page.getByText("synapse claude")).toBeVisible();
    await page.getByRole("button", { name: "Try the demo agent" }).click();
    await expect(page.getByRole("heading", { name: "demo", level: 1 })).toBeVisible();
    await page.close();
  } finally {
    await world.end();
  }
});

test("an agent is started from the page", async ({ enter, world }) => {
  const page = await enter();
  await page.getByRole("button", { name: "New agent" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Program").selectOption("dummy");
  const name = isPhone(page) ? "handmade-phone" : "handmade";
  // The first task suggests a name, until somebody gives one.
  const task = dialog.getByLabel("First task");
  await task.fill("say:hello to all of you");
  await expect(dialog.getByLabel("Name")).toHaveValue("say-hello-to");
  await dialog.getByLabel("Name").fill(name);
  await task.fill("say:hello again");
  await expect(dialog.getByLabel("Name")).toHaveValue(name);
  await dialog.getByRole("button", { name: "Start" }).click();
  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
  await expect(page.locator(".entry .reply")).toContainText("hello again");
  world.tryRun("stop", name);
});

test("any program is started by its command, and Info shows how its screen is read", async ({ enter, world }) => {
  const page = await enter();
  await page.getByRole("button", { name: "New agent" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Program").selectOption({ label: "Another program…" });
  const name = isPhone(page) ? "echo-phone" : "echo";
  await dialog.getByLabel("Command").fill("sh -c 'while read line; do echo \"got $line\"; done'");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Start" }).click();
  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
  await expect(page.locator(".agent-head .badge")).toHaveAttribute("data-status", "idle");
  world.synapse("send", name, "hello", "--return");
  await page.getByRole("link", { name: "Info" }).click();
  await expect(page.locator(".screen-part.is-speech")).toContainText("got hello");
  await expect(page.locator(".info")).toContainText("asleep in a read of its terminal");
  world.tryRun("stop", name);
});
