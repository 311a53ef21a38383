import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, isPhone, openTab, test, toast } from "./fixtures";

test("a worktree is made, worked in, looked at, merged and removed", async ({ enter, world }) => {
  const page = await enter("/w");
  const branch = isPhone(page) ? "login-phone" : "login";
  await page.locator('[data-repository="shop"]').getByRole("button", { name: "Worktree" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Branch", { exact: true }).fill(branch);
  await dialog.getByLabel("First agent").selectOption("dummy");
  await dialog.getByLabel("First task").fill("say:begun");
  await dialog.getByRole("button", { name: "Create worktree" }).click();
  await expect(page.locator(".agent-head .badge")).toHaveAttribute("data-status", "idle");
  const agent = await page.locator(".agent-head h1").innerText();
  await expect(page.locator(".entry .reply")).toContainText("begun");

  const folder = join(world.home, `shop-${branch}`);
  writeFileSync(join(folder, "src/cart.py"), "def total(prices):\n    return round(sum(prices), 2)\n");
  writeFileSync(join(folder, `${branch}.md`), "# Login\n");
  const dot = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
  writeFileSync(join(folder, "dot.png"), dot);
  await openTab(page, "Changes");
  // Changes follow the disk.
  await expect(page.locator(".changed-file")).toHaveCount(3);
  await expect(page.getByRole("img", { name: "dot.png" })).toBeVisible();
  writeFileSync(join(folder, `${branch}.md`), "# Login\n\nmore\n");
  await expect(page.locator(".diff-add").filter({ hasText: "more" })).toBeVisible();
  await expect(page.locator(".diff-add").filter({ hasText: "round(sum(prices), 2)" })).toBeVisible();
  // Lines take comments, which are sent as one message.
  const row = page.locator(".diff-add").filter({ hasText: "round(sum(prices), 2)" });
  await row.hover();
  await row.getByRole("button", { name: "Comment on line 2" }).click();
  await page.getByRole("textbox", { name: "Comment", exact: true }).fill("use decimals");
  await page.getByRole("button", { name: "Add comment" }).click();
  await page.getByRole("button", { name: `Send to ${agent}` }).click();
  await expect(page.getByRole("button", { name: `Send to ${agent}` })).toHaveCount(0);
  if (isPhone(page)) await openTab(page, "Conversation");
  await expect(page.locator(".entry .bubble").last()).toContainText("src/cart.py:2\n>     return round(sum(prices), 2)\nuse decimals");
  await openTab(page, "Files");
  await page.getByRole("button", { name: "src" }).click();
  await page.getByRole("button", { name: "cart.py" }).click();
  await expect(page.locator(".code.numbered")).toContainText("round(sum(prices), 2)");

  await page.goto(`${world.url}/`);
  const group = page.locator(".agent-group").filter({ has: page.locator(`[data-agent="${agent}"]`) });
  await expect(group.locator("h2").first()).toHaveText(`shop / shop-${branch}`);
  await page.goto(`${world.url}/w`);
  await page.locator(`[data-worktree="shop-${branch}"] .agent-link`).click();
  await page.getByRole("button", { name: "Remove…" }).click();
  await expect(dialog).toContainText(`Agents still work here: ${agent}`);
  await dialog.getByRole("button", { name: "End these agents" }).click();
  await expect(dialog).not.toContainText("Agents still work here");
  await expect(dialog).toContainText("This would be lost:");
  await dialog.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page.getByTestId("loss")).toContainText("1 changed file that");
  await expect(page.getByTestId("loss")).toContainText("2 new files that");
  await dialog.getByRole("button", { name: "Keep" }).click();

  await page.getByRole("button", { name: "Merge…" }).click();
  await dialog.getByLabel(/Commit message/).fill("round the total");
  await dialog.getByRole("button", { name: "Merge into main" }).click();
  await expect(toast(page, `Merged ${branch} into main`)).toBeVisible();
  expect(world.run("git", "log", "--oneline", "-3")).toContain("round the total");

  await page.getByRole("button", { name: "Remove…" }).click();
  await dialog.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(toast(page, `Removed shop-${branch}`)).toBeVisible();
  await expect(page.locator(`[data-worktree="shop-${branch}"]`)).toHaveCount(0);
  expect(world.run("git", "worktree", "list")).not.toContain(branch);
  world.run("git", "reset", "-q", "--hard", "HEAD~1");
});

test("a branch name that looks like an option is refused", async ({ enter }) => {
  const page = await enter("/w");
  await page.locator('[data-repository="shop"]').getByRole("button", { name: "Worktree" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Branch", { exact: true }).fill("--upload-pack=x");
  await dialog.getByRole("button", { name: "Create worktree" }).click();
  await expect(dialog.getByRole("alert")).toContainText("not a name git takes");
});

test("several lines are commented on at once, in Changes and in Files, and binaries are previewed", async ({ enter, world, fresh }) => {
  const page = await enter();
  const name = fresh("reviewed");
  const folder = join(world.home, name);
  const git = (...args: string[]) => world.run("git", "-C", folder, ...args);
  writeFileSync(join(folder, "sum.py"), "def total(a):\n    b = 0\n    for c in a:\n        b += c\n    return b\n");
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "begin");
  writeFileSync(join(folder, "sum.py"), "def total(a):\n    b = 0.0\n    for c in a:\n        b += float(c)\n    return b\n");
  writeFileSync(join(folder, "data.bin"), Buffer.from([0, 1, 2, 83, 121, 110, 0xff]));
  await page.goto(`${world.url}/a/${name}/changes`);
  await expect(page.getByRole("list", { name: "Changed files" }).getByRole("listitem")).toHaveCount(2);
  await expect(page.getByLabel("First bytes of data.bin")).toContainText("00 01 02 53 79 6e ff");
  await expect(page.getByLabel("First bytes of data.bin")).toContainText("···Syn·");
  // From one line down to another, by a field or with Shift.
  await page.getByRole("button", { name: "Comment on line 4" }).last().click();
  await page.getByLabel("Last line").fill("5");
  await page.getByRole("textbox", { name: "Comment", exact: true }).fill("why float?");
  await page.getByRole("button", { name: "Add comment" }).click();
  await expect(page.locator(".remark")).toContainText("Lines 4-5: why float?");

  await openTab(page, "Files");
  await page.getByRole("button", { name: "sum.py" }).click();
  const code = page.getByRole("region", { name: "sum.py" });
  await expect(code).toContainText("b += float(c)");
  writeFileSync(join(folder, "sum.py"), "def total(a):\n    b = 0.0\n    for c in a:\n        b += float(c)\n    return round(b)\n");
  // Files follow the disk, too.
  await expect(code).toContainText("return round(b)");
  await code.getByRole("button", { name: "Comment on line 1" }).click();
  await code.getByRole("button", { name: "Comment on line 2" }).click({ modifiers: ["Shift"] });
  // What is commented on does not change under the hand.
  const followed = page.waitForResponse((answer) => answer.url().includes("/files/sum.py"));
  writeFileSync(join(folder, "sum.py"), "# another first line\ndef total(a):\n    return sum(a)\n");
  await followed;
  await page.waitForResponse((answer) => answer.url().includes("/files/sum.py"));
  await page.getByRole("textbox", { name: "Comment", exact: true }).fill("say what a is");
  await page.getByRole("button", { name: "Add comment" }).click();
  await expect(page.getByText("2 comments")).toBeVisible();
  await page.getByRole("button", { name: `Send to ${name}` }).click();
  if (isPhone(page)) await openTab(page, "Conversation");
  const sent = page.locator(".entry .bubble");
  await expect(sent).toHaveCount(1);
  await expect(sent).toContainText("sum.py:1-2\n> def total(a):\n>     b = 0.0\nsay what a is");
  await expect(sent).toContainText("sum.py:4-5\n>         b += float(c)\n>     return b\nwhy float?");
});
