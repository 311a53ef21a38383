import { badge, expect, isPhone, openAgent, say, test } from "./fixtures";

test("a question is answered by a button, and by a key", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("asking"));
  await say(page, "ask:yn Delete it?");
  const card = page.locator(".prompt-card");
  await expect(card).toContainText("Delete it?");
  await expect(badge(page)).toHaveAttribute("data-status", "waiting");
  await card.getByRole("button", { name: "No" }).click();
  await expect(card).toHaveCount(0);
  await expect(page.locator(".entry").last().locator(".reply")).toContainText("ok: no");
  await expect(page.locator(".system-line").last()).toContainText("by you");
  if (isPhone(page)) return;
  await say(page, "ask:pick tea|coffee");
  await expect(card.getByRole("button", { name: "coffee" })).toBeVisible();
  // A digit means nothing elsewhere: only the card that has the focus is answered by it. A line of text has no button
  // that the click could hit.
  await page.locator(".system-line").first().click();
  await page.keyboard.press("1");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(card.getByRole("button", { name: "coffee" })).toBeEnabled();
  await card.focus();
  await page.keyboard.press("2");
  await expect(page.locator(".entry").last().locator(".reply")).toContainText("ok: coffee");
});

test("an answer to a question that has changed is refused, and the new one shown", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("fickle"));
  await say(page, "ask:yn Format the disk?");
  const card = page.locator(".prompt-card");
  await expect(card).toContainText("Format the disk?");
  // What the person read is another question than the one that is open.
  await page.route("**/answer", async (route) => {
    const body = { ...(route.request().postDataJSON() as object), fingerprint: "0000000000000000" };
    await route.continue({ postData: JSON.stringify(body) });
  });
  const refused = page.waitForResponse((response) => response.url().includes("/answer"));
  await card.getByRole("button", { name: "Yes" }).click();
  expect((await refused).status()).toBe(409);
  await expect(card.getByRole("alert")).toContainText("This question has changed");
  await expect(badge(page)).toHaveAttribute("data-status", "waiting");
  await page.unroute("**/answer");
  await card.getByRole("button", { name: "No" }).click();
  await expect(page.locator(".entry").last().locator(".reply")).toContainText("ok: no");
});

test("a password is asked for in a field that hides and forgets it", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("vault"));
  await say(page, "ask:password");
  const card = page.locator(".prompt-card");
  const field = card.locator("input");
  await expect(field).toHaveAttribute("type", "password");
  await field.fill("hunter22");
  await card.getByRole("button", { name: "Answer" }).click();
  await expect(page.locator(".entry").last().locator(".reply")).toContainText("ok: 8 characters");
  expect(await page.evaluate(() => JSON.stringify(localStorage) + document.body.innerHTML)).not.toContain("hunter22");
});

test("the screen is shown where words are not enough", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("shown"));
  await say(page, "ask:yn Look?");
  await page.getByRole("button", { name: "Show screen" }).click();
  await expect(page.locator(".screen-lines")).toContainText("Look? (y/n):");
});

test("a menu driven by arrow keys is answered by its label", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("menu"));
  await say(page, "select:apple|pear|plum");
  const card = page.locator(".prompt-card");
  await card.getByRole("button", { name: "plum" }).click();
  await expect(card).toHaveCount(0);
  await expect(page.locator(".entry").last().locator(".reply")).toContainText("plum");
});

test("a card tells the command that it is about", async ({ enter, world }) => {
  const page = await enter();
  world.startAgent("permitted", `${world.home}/permitted`, "permit");
  await openAgent(page, "permitted");
  await say(page, "clean up");
  const card = page.locator(".prompt-card");
  await expect(card.locator(".prompt-question")).toHaveText("Do you want to proceed?");
  await expect(card.locator(".prompt-detail")).toContainText("rm -rf build");
  await expect(card.getByRole("button", { name: "No" })).toBeVisible();
  await card.getByRole("button", { name: "Yes" }).click();
  await expect(card).toHaveCount(0);
  await expect(badge(page)).toHaveAttribute("data-status", "idle");
  world.tryRun("stop", "permitted");
});
