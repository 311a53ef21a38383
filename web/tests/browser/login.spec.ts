import { bar, expect, openAgent, stopButton, test } from "./fixtures";

test("a one-time link lets in once, and leaves the address bar first", async ({ page, browser, world }) => {
  const link = world.link();
  await page.goto(link);
  await expect(page.getByRole("heading", { name: "Agents", level: 1 })).toBeVisible();
  expect(page.url()).not.toContain("code");
  await page.reload();
  await expect(page.getByRole("heading", { name: "Agents", level: 1 })).toBeVisible();

  const other = await browser.newPage();
  await other.goto(link);
  await expect(other.getByTestId("toast")).toContainText("used already");
  await expect(other.getByLabel("One-time code")).toBeVisible();
  await other.close();
});

test("a code can be typed, and a wrong one says what to do", async ({ page, world }) => {
  await page.goto(world.url);
  await page.getByLabel("One-time code").fill("wrong");
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page.getByRole("alert")).toContainText("synapse web login");
  await page.getByLabel("One-time code").fill(world.link());
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page.getByRole("heading", { name: "Agents", level: 1 })).toBeVisible();
});

test("a link opened in the tab that shows the login lets in, too", async ({ page, world }) => {
  await page.goto(world.url);
  await expect(page.getByLabel("One-time code")).toBeVisible();
  await page.goto(world.link());
  await expect(page.getByRole("heading", { name: "Agents", level: 1 })).toBeVisible();
  expect(page.url()).not.toContain("code");
});

test("the address that was asked for opens after the login", async ({ page, world }) => {
  await page.goto(`${world.url}/settings`);
  await expect(page.getByLabel("One-time code")).toBeVisible();
  await page.goto(world.link());
  await expect(page.getByRole("heading", { name: "Settings", level: 1 })).toBeVisible();
  expect(page.url()).toBe(`${world.url}/settings`);
});

test("a read-only device sees everything and can do nothing", async ({ page, world, fresh }) => {
  const name = fresh("watched");
  await page.goto(world.link("--read-only"));
  await openAgent(page, name);
  await expect(stopButton(page)).toBeDisabled();
  await expect(bar(page)).toBeDisabled();
  world.send(name, "ask:password");
  await expect(page.locator(".prompt-card")).toBeVisible();
  await expect(page.locator(".prompt-card").getByRole("textbox")).toHaveCount(0);
  await expect(page.locator(".prompt-card input")).toHaveCount(0);
});

test("logging out shows the login", async ({ enter }) => {
  const page = await enter("/settings");
  await page.getByRole("button", { name: "Log out" }).click();
  await expect(page.getByLabel("One-time code")).toBeVisible();
});

test("behind a name of its own the page shows its key beside the cookie", async ({ page, world, fresh }) => {
  const name = fresh("named");
  await page.goto(world.link().replace(world.url, world.publicUrl));
  await openAgent(page, name);
  // The live line and the terminal are let in, too.
  await expect(bar(page)).toBeEnabled();
  await page.reload();
  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
  // A cookie alone, as another port of the machine gets it, is nobody.
  await page.evaluate(() => localStorage.removeItem("synapse.key"));
  await page.goto(world.publicUrl);
  await expect(page.getByLabel("One-time code")).toBeVisible();
});
