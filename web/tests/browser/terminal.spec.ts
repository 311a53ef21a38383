import { expect, isPhone, openAgent, openTab, say, test } from "./fixtures";

test("the terminal is read-only until typing is turned on", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("typed"));
  await openTab(page, "Terminal");
  const terminal = page.getByTestId("terminal");
  await expect(terminal.locator(".xterm-rows")).toContainText("dummy>");
  await terminal.click();
  await page.keyboard.type("zzz");
  await page.getByRole("button", { name: "Type here" }).click();
  await expect(page.getByRole("button", { name: /^Keys go to/ })).toBeVisible();
  await page.keyboard.type("say:hello there");
  await page.keyboard.press("Enter");
  await expect(terminal.locator(".xterm-rows")).toContainText("dummy> say:hello there");
  await expect(terminal.locator(".xterm-rows")).not.toContainText("zzz");
  await page.getByRole("button", { name: "Press Enter" }).click();
});

test("it takes the size only when asked to", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("sized"));
  await openTab(page, "Terminal");
  const rows = page.locator(".xterm-rows > div");
  await expect(rows).toHaveCount(40);
  await page.getByRole("button", { name: "Fit to me" }).click();
  await expect(rows).not.toHaveCount(40);
  const before = await rows.count();
  const size = page.viewportSize();
  if (size) await page.setViewportSize({ width: size.width, height: size.height - 200 });
  await expect.poll(() => rows.count()).toBeLessThan(before);
  // Every row is in view: nothing is cut off at the right.
  const box = await page.getByTestId("terminal").evaluate((element) => element.scrollWidth - element.clientWidth);
  expect(box).toBeLessThanOrEqual(1);
});

test("a snapshot comes first, and a reload doubles nothing", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("again"));
  await say(page, "say:only once");
  await openTab(page, "Terminal");
  await expect(page.locator(".xterm-rows")).toContainText("only once");
  await page.reload();
  await expect(page.locator(".xterm-rows")).toContainText("only once");
  const text = (await page.locator(".xterm-rows").innerText()).split("\n").filter((line) => line.trim() === "only once");
  expect(text).toHaveLength(1);
});

test("touch scrolls through what has gone by", async ({ enter, fresh }) => {
  const page = await enter();
  test.skip(!isPhone(page), "for fingers");
  await openAgent(page, fresh("long"));
  await say(page, "long:200");
  await openTab(page, "Terminal");
  await expect(page.locator(".xterm-rows")).toContainText("line 200 of 200");
  const box = await page.getByTestId("terminal").boundingBox();
  if (!box) throw new Error("the terminal has no place");
  const client = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", y: number) =>
    client.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: box.x + 100, y }] });
  await touch("touchStart", box.y + 100);
  for (let y = 120; y <= 460; y += 20) await touch("touchMove", box.y + y);
  await touch("touchEnd", 0);
  await expect(page.getByRole("button", { name: "New output" })).toBeVisible();
  await expect(page.locator(".xterm-rows")).not.toContainText("line 200 of 200");
  await page.getByRole("button", { name: "New output" }).click();
  await expect(page.locator(".xterm-rows")).toContainText("line 200 of 200");
});

test("HTML, links and clipboard commands in an agent's output do nothing", async ({ enter, world, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await enter();
  let dialogs = 0;
  page.on("dialog", async (dialog) => {
    dialogs += 1;
    await dialog.dismiss();
  });
  await page.evaluate(() => navigator.clipboard.writeText("mine"));
  const name = isPhone(page) ? "hostile-phone" : "hostile-desk";
  world.startAgent(name, undefined, "hostile");
  await openAgent(page, name);
  await say(page, "go");
  await expect(page.locator(".entry .reply")).toContainText("<img src=x onerror=alert(1)><script>alert(2)</script>");
  await openTab(page, "Terminal");
  await expect(page.locator(".xterm-rows")).toContainText("end of it");
  // Colours of 24 bits, and what is found, are painted without breaking the policy.
  await expect(page.locator(".xterm-rows span", { hasText: "true red" })).toHaveCSS("color", "rgb(255, 0, 0)");
  await page.getByRole("button", { name: "Search the terminal" }).click();
  await page.getByRole("searchbox", { name: "Search the terminal" }).fill("end of it");
  await page.keyboard.press("Enter");
  await expect(page.locator(".xterm-rows .xterm-decoration-top")).toHaveText("end of it");
  await expect(page.locator(".terminal-search").getByRole("status")).toHaveText("1 of 1");
  await page.getByRole("searchbox", { name: "Search the terminal" }).fill("not in there");
  await expect(page.locator(".terminal-search").getByRole("status")).toHaveText("Nothing found");
  expect(await page.locator(".entries img, .entries script, .xterm-rows img").count()).toBe(0);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("mine");
  expect(dialogs).toBe(0);
  world.tryRun("stop", name);
});

test("Ctrl of the key row goes with the next key, and a change of size is told", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("controlled"));
  await openTab(page, "Terminal");
  const rows = page.locator(".xterm-rows");
  await expect(rows).toContainText("dummy>");
  await page.getByRole("button", { name: "Type here" }).click();
  // A phone types before the terminal has the focus.
  await expect(page.locator(".xterm-helper-textarea")).toBeFocused();
  await page.keyboard.type("zyx");
  await expect(rows).toContainText("zyx");
  await page.getByRole("button", { name: "Ctrl for the next key" }).click();
  await expect(page.locator(".xterm-helper-textarea")).toBeFocused();
  await page.keyboard.type("u");
  await expect(rows).not.toContainText("zyx");
  await page.keyboard.type("w");
  await expect(rows).toContainText("dummy> w");
  await page.getByRole("button", { name: "Fit to me" }).click();
  if (isPhone(page)) await openTab(page, "Conversation");
  await expect(page.locator(".system-line").filter({ hasText: "Size changed" })).toHaveCount(1);
});

test("letters are legible, the whole width is shown whole, and each agent has its size", async ({ enter, fresh }) => {
  const page = await enter();
  const [name, other] = [fresh("legible"), fresh("other")];
  await openAgent(page, name);
  await openTab(page, "Terminal");
  const terminal = page.getByTestId("terminal");
  await expect(terminal.locator(".xterm-rows")).toContainText("dummy>");
  const font = () => terminal.locator(".xterm-rows").evaluate((rows) => parseFloat(getComputedStyle(rows).fontSize));
  const cut = () => terminal.evaluate((box) => box.scrollWidth - box.clientWidth);
  expect(await font()).toBeGreaterThanOrEqual(12);
  const whole = page.getByRole("button", { name: "Whole width" });
  await whole.click();
  await expect.poll(cut).toBeLessThanOrEqual(1);
  await page.reload();
  await expect(whole).toHaveAttribute("aria-pressed", "true");
  await expect.poll(cut).toBeLessThanOrEqual(1);
  await page.goto(new URL(`/a/${other}/terminal`, page.url()).href);
  await expect(whole).toHaveAttribute("aria-pressed", "false");
  await expect.poll(font).toBeGreaterThanOrEqual(12);
});

test("the terminal is light in the light theme", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("bright"));
  await openTab(page, "Terminal");
  const terminal = page.getByTestId("terminal");
  await expect(terminal.locator(".xterm-rows")).toContainText("dummy>");
  const ground = () => terminal.evaluate((box) => Number(/\d+/.exec(getComputedStyle(box).backgroundColor)?.[0]));
  expect(await ground()).toBeGreaterThan(200);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await ground()).toBeLessThan(60);
});
