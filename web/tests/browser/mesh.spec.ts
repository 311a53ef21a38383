import { bar, expect, isPhone, openAgent, say, test } from "./fixtures";

test("two agents that talked are joined in the mesh, and their task can be opened", async ({ enter, fresh }) => {
  const page = await enter();
  const [from, to] = [fresh("alice"), fresh("bob")];
  await openAgent(page, from);
  await bar(page).fill(`@${to} say:hello bob`);
  await expect(page.locator(".target")).toContainText(`@${from} → @${to}`);
  await page.getByRole("button", { name: "Send" }).click();
  await expect(bar(page)).toHaveValue("");
  await page.goto(new URL("/mesh", page.url()).href);
  if (isPhone(page)) await page.getByRole("button", { name: "Graph" }).click();
  await expect(page.getByRole("button", { name: new RegExp(`${from} to ${to}: 1 `) })).toBeVisible();
  const width = () => page.locator(".graph").evaluate((drawing) => drawing.getBoundingClientRect().width);
  const before = await width();
  await page.getByRole("button", { name: "Zoom in" }).click();
  await expect.poll(width).toBeGreaterThan(before);
  await page.getByLabel("People").uncheck();
  await expect(page.locator(".node-person")).toHaveCount(0);
  await page.getByRole("button", { name: "Table" }).click();
  const row = page.getByRole("row").filter({ hasText: from }).filter({ hasText: to }).first();
  await expect(row).toBeVisible();
  await row.getByRole("button", { name: "Show tasks" }).click();
  const line = page.locator(".task-list li").filter({ hasText: "say:hello bob" });
  await expect(line).toContainText(`→ @${to}`);
  await line.getByRole("link").click();
  await expect(page.locator("[data-task]")).toHaveAttribute("data-state", "completed");
  await expect(page.locator(".reply")).toContainText("hello bob");
  const left = (what: string) => page.locator(what).first().evaluate((box) => Math.round(box.getBoundingClientRect().left));
  expect(await left(".screen-body .bubble")).toBe(await left(".screen-body .reply"));
  await page.goto(new URL("/search?q=hello", page.url()).href);
  await expect(page.locator(".found").first()).toBeVisible();
  expect(await left(".search-field")).toBe(await left(".found"));
});

test("a running task is canceled from its own page", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("canceled"));
  await say(page, "wait:60");
  await page.locator(".entry .task-chip").click();
  await expect(page.locator("[data-task]")).toHaveAttribute("data-state", "working");
  await page.getByRole("button", { name: "Cancel task" }).click();
  await page.getByRole("group", { name: "Cancel this task?" }).getByRole("button", { name: "Cancel task" }).click();
  await expect(page.locator("[data-task]")).toHaveAttribute("data-state", "canceled");
});
