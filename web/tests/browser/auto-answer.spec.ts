import { badge, expect, openAgent, openTab, say, test } from "./fixtures";

test("a rule made in Settings answers, and every answer can be seen", async ({ enter, world, isMobile }) => {
  const page = await enter();
  const name = isMobile ? "ruled-phone" : "ruled-desk";
  world.startAgent(name, undefined, "runner");
  await page.goto(`${world.url}/settings`);
  const settings = page.getByRole("region", { name: "Auto-answer" });
  const toggle = settings.getByRole("switch", { name: "Answer questions by these rules" });
  await expect(toggle).not.toBeChecked();
  await settings.getByLabel("For").selectOption(`agent ${name}`);
  await settings.getByLabel("Kind of question").selectOption("permission");
  await settings.getByLabel(/exactly this command/).fill("cargo clean");
  await settings.getByLabel(/called exactly/).fill("Yes");
  await settings.getByRole("button", { name: "Add rule" }).click();
  await expect(settings.locator(".rule-list")).toContainText("“cargo clean” → Yes");
  await toggle.click();
  await expect(toggle).toBeChecked();

  await page.goto(`${world.url}/a/${name}`);
  await say(page, "cargo clean");
  await expect(page.locator(".entry .reply")).toContainText("ok: yes");
  const line = page.locator(".system-line").filter({ hasText: "Auto-answered" });
  await expect(line).toContainText("Auto-answered “Yes” to: Do you want to proceed?");
  await page.reload();
  await expect(line).toHaveCount(1);
  // More than the rule names is left to a person.
  await say(page, "cargo clean && rm -rf src");
  await expect(badge(page)).toHaveAttribute("data-status", "waiting");
  await page.locator(".prompt-card").getByRole("button", { name: "No" }).click();
  await expect(page.locator(".entry").last().locator(".reply")).toContainText("ok: no");
  await openTab(page, "Info");
  await expect(page.locator(".info .auto-uses")).toContainText("Do you want to proceed?");
  await page.goto(`${world.url}/inbox`);
  await page.locator("summary", { hasText: "Answered by rules" }).click();
  await expect(page.locator(".auto-uses").getByRole("link", { name })).toBeVisible();

  await page.goto(`${world.url}/settings`);
  await settings.getByLabel(/exactly this command/).fill("x y");
  await settings.getByLabel(/called exactly/).fill("Yes");
  await page.route("**/rules", (route) => route.continue({ postData: JSON.stringify({ ...(route.request().postDataJSON() as object), kind: "password" }) }));
  await settings.getByRole("button", { name: "Add rule" }).click();
  await expect(settings.getByRole("alert")).toContainText("permission, confirmation or selection");
  await settings.getByRole("button", { name: /^Remove the rule/ }).click();
  await expect(settings.locator(".rule-list li")).toHaveCount(0);
  await toggle.click();
  await expect(toggle).not.toBeChecked();
});

test("a device that may only look sees the rules and changes none", async ({ page, world }) => {
  await page.goto(world.link("--read-only"));
  await expect(page.getByRole("main")).toBeVisible();
  await page.goto(`${world.url}/settings`);
  const settings = page.getByRole("region", { name: "Auto-answer" });
  await expect(settings.getByRole("switch")).toBeDisabled();
  await expect(settings.getByRole("button", { name: "Add rule" })).toHaveCount(0);
  await expect(settings).toBeVisible();
});

test("Info tells when rules rest", async ({ enter, world, fresh }) => {
  const page = await enter();
  const name = fresh("rested");
  await page.route("**/api/auto-answer", async (route) => {
    const answer = await route.fetch();
    const agents = (await (await page.request.get(`${world.url}/api/agents`)).json()) as { agents: { id: string; handle: string }[] };
    const id = agents.agents.find((agent) => agent.handle === name)?.id ?? "";
    await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), resting: [id] } });
  });
  await page.reload();
  await openAgent(page, name);
  await openTab(page, "Info");
  await expect(page.locator(".info")).toContainText("Rules rest here after 10 answers");
});
