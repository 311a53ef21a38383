import { badge, bar, expect, openAgent, openTab, say, test } from "./fixtures";

test("the page resumes by itself after the hub was killed, and doubles nothing", async ({ enter, world, fresh }) => {
  const page = await enter();
  const name = fresh("survivor");
  await openAgent(page, name);
  await say(page, "say:before");
  await expect(page.locator(".entry .reply")).toContainText("before");
  await world.killHub();
  await expect(page.getByTestId("reconnecting")).toBeVisible();
  await expect(badge(page)).toHaveClass(/is-stale/);
  world.send(name, "say:meanwhile");
  await world.startHub();
  await expect(page.getByTestId("reconnecting")).toHaveCount(0);
  await expect(badge(page)).not.toHaveClass(/is-stale/);
  await expect(page.locator(".entry").filter({ hasText: "say:meanwhile" }).locator(".reply")).toContainText("meanwhile");
  await say(page, "say:after");
  await expect(page.locator(".entry .reply").last()).toContainText("after");
  await expect(page.locator(".entry")).toHaveCount(3);
});

test("a network that is gone is told at once, by one banner", async ({ enter, fresh, context }) => {
  const page = await enter();
  const name = fresh("cut");
  await openAgent(page, name);
  await openTab(page, "Terminal");
  await expect(page.locator(".xterm-rows")).toContainText("dummy>");
  await context.setOffline(true);
  await expect(page.getByTestId("reconnecting")).toBeVisible();
  await expect(page.locator(".banner")).toHaveCount(1);
  await context.setOffline(false);
  await expect(page.getByTestId("reconnecting")).toHaveCount(0);
});

test("an agent that dies is told, and its screen says so", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("mortal"));
  await bar(page).fill("exit:3");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByText("This agent is not running any more")).toBeVisible();
});

test("a line that falls silent is opened anew", async ({ enter, fresh, page: blank }) => {
  let lines = 0;
  await blank.clock.install();
  blank.on("websocket", (socket) => {
    if (socket.url().endsWith("/api/ws")) lines += 1;
  });
  const page = await enter();
  await expect(page.locator(`[data-agent="${fresh("sleeper")}"]`)).toBeVisible();
  const before = lines;
  // The laptop sleeps: time passes, and no beat comes.
  await page.clock.fastForward(41_000);
  await page.clock.resume();
  await expect.poll(() => lines).toBeGreaterThan(before);
  await expect(page.getByTestId("reconnecting")).toHaveCount(0);
});
