import { badge, expect, isPhone, openAgent, openTab, say, stopButton, test, toast } from "./fixtures";

test("Stop is confirmed by the badge and a receipt", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("runner"));
  await say(page, "wait:60");
  await expect(badge(page)).toHaveAttribute("data-status", "working");
  await stopButton(page).click();
  await expect(toast(page, /^Stopped runner/)).toBeVisible();
  await expect(badge(page)).toHaveAttribute("data-status", "idle");
  await expect(page.locator(".entry").last()).toContainText("interrupted");
  await expect(stopButton(page)).toHaveAttribute("data-state", "idle");
});

test("Stop at an idle prompt sends nothing and says so", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("resting"));
  await expect(stopButton(page)).toBeEnabled();
  await stopButton(page).click();
  await expect(toast(page, "Nothing is running")).toBeVisible();
});

test("Stop tries once more when the network fails once, and tells when it fails twice", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("shaky"));
  await say(page, "wait:60");
  await expect(badge(page)).toHaveAttribute("data-status", "working");
  let tries = 0;
  let failures = 1;
  await page.route("**/interrupt", async (route) => {
    tries += 1;
    if (failures > 0) {
      failures -= 1;
      await route.abort("connectionfailed");
    } else await route.continue();
  });
  await stopButton(page).click();
  await expect(toast(page, /^Stopped/)).toBeVisible();
  expect(tries).toBe(2);
  await expect(stopButton(page)).toHaveAttribute("data-state", "idle");

  failures = 2;
  await stopButton(page).click();
  await expect(toast(page, "Network error. Please try again")).toBeVisible();
  expect(tries).toBe(4);
});

test("two taps in a second are one, and a failing hub is told as it is", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("tapped"));
  let asked = 0;
  await page.route("**/interrupt", async (route) => {
    asked += 1;
    await route.fulfill({ status: asked === 1 ? 500 : 404, json: { error: "x", code: asked === 1 ? "internal" : "no_such_agent" } });
  });
  await stopButton(page).dblclick();
  await expect(toast(page, "Could not interrupt")).toBeVisible();
  expect(asked).toBe(1);
  await expect(stopButton(page)).toHaveAttribute("data-state", "idle");
  await stopButton(page).click();
  await expect(toast(page, "The session is not running")).toBeVisible();
});

test("a program that does not react is offered stronger keys, up to kill", async ({ enter, fresh }) => {
  const page = await enter();
  const name = fresh("deaf");
  await openAgent(page, name);
  await say(page, "hang");
  await expect(badge(page)).toHaveAttribute("data-status", "working");
  await stopButton(page).click();
  const warning = toast(page, "still running");
  await expect(warning.getByRole("button", { name: "Press Esc again" })).toBeVisible();
  await expect(warning.getByRole("button", { name: "Ctrl+C" })).toBeVisible();
  await warning.getByRole("button", { name: "Kill" }).click();
  await expect(page.getByText("This agent is not running any more")).toBeVisible();
});

test("the question and Stop are on every tab", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("tabbed"));
  await say(page, "ask:yn Go on?");
  await expect(page.locator(".prompt-card")).toBeVisible();
  for (const tab of ["Terminal", "Changes", "Files", "Info"]) {
    await openTab(page, tab);
    await expect(page.locator(".prompt-card")).toBeVisible();
    await expect(page.getByRole("button", { name: "Stop", exact: true })).toBeInViewport();
  }
  await page.locator(".prompt-card").getByRole("button", { name: "Yes" }).click();
  await expect(page.locator(".prompt-card")).toHaveCount(0);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  const told = toast(page, "Nothing is running");
  await expect(told).toBeVisible();
  // A toast lies on no button.
  const box = await told.boundingBox();
  const covered = await page.evaluate((at) => {
    const isOver = (one: DOMRect) => one.right > at.x && one.left < at.x + at.width && one.bottom > at.y && one.top < at.y + at.height;
    const shown = [...document.querySelectorAll("button, a")].filter((one) => !one.closest(".toast") && (one as HTMLElement).offsetParent !== null);
    return shown.filter((one) => isOver(one.getBoundingClientRect())).map((one) => one.textContent);
  }, box ?? { x: 0, y: 0, width: 0, height: 0 });
  expect(covered).toEqual([]);
});

test("looking at another tab stops nothing", async ({ enter, world, fresh }) => {
  const page = await enter();
  const name = fresh("unstopped");
  const presses: string[] = [];
  page.on("request", (request) => request.url().endsWith("/interrupt") && presses.push(request.url()));
  await openAgent(page, name);
  await say(page, "slow:20");
  await expect(badge(page)).toHaveAttribute("data-status", "working");
  for (const tab of ["Terminal", "Changes", "Info", "Terminal"]) await openTab(page, tab);
  // The sheet below the tab is drawn anew with each message.
  world.send(name, "say:waits");
  await page.goto(`${world.url}/`);
  await expect(page.locator(`[data-agent="${name}"]`)).toContainText("1 queued");
  await page.goBack();
  if (isPhone(page)) await openTab(page, "Conversation");
  await expect(page.locator(".entry .reply").first()).toContainText("alpha");
  expect(presses).toEqual([]);
});

test("everything is stopped at once", async ({ enter, world, fresh }) => {
  const page = await enter();
  const names = [fresh("one"), fresh("two")];
  for (const name of names) world.send(name, "wait:60");
  for (const name of names) await expect(page.locator(`[data-agent="${name}"] .badge`)).toHaveAttribute("data-status", "working");
  await expect(page.getByRole("button", { name: "Stop all" })).toHaveAttribute("title", /^Stops 2 working/);
  await page.getByRole("button", { name: "Stop all" }).click();
  await expect(toast(page, /^Stopped 2/)).toBeVisible();
});
