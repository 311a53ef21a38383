import { expect, openAgent, say, stopButton, test } from "./fixtures";

test("who answered is still told after a reload and on another device", async ({ enter, world, browser }, info) => {
  const name = `asker${info.project.name}`;
  world.startAgent(name, undefined, "runner");
  const page = await enter();
  await openAgent(page, name);
  await say(page, "make build");
  await page.getByRole("button", { name: /Yes/ }).first().click();
  const entry = page.locator(".entry").last();
  await expect(entry).toContainText("Answered “Yes” by you");
  await expect(entry).toHaveAttribute("data-state", "completed");
  await page.reload();
  await expect(entry).toContainText("Answered “Yes” by you");
  await expect(page.getByText("Answered “Yes” by you")).toHaveCount(1);
  const other = await (await browser.newContext()).newPage();
  await other.goto(world.link());
  await openAgent(other, name);
  await expect(other.locator(".entry").last()).toContainText("Answered “Yes” by");
  await other.context().close();
  world.tryRun("stop", name);
});

test("who stopped an agent is still told after a reload, once", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("stopped"));
  await say(page, "slow:60");
  const entry = page.locator(".entry").last();
  await expect(entry.locator(".reply")).toContainText("alpha");
  await stopButton(page).click();
  await expect(entry).toContainText("Stopped by you");
  await page.reload();
  await expect(entry).toContainText("Stopped by you");
  await expect(page.getByText("Stopped by you")).toHaveCount(1);
});
