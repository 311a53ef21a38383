import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, openAgent, say, test } from "./fixtures";
import { longConversation } from "./long-conversation";

test("what an agent does is shown while it does it, and after a reload", async ({ enter, world }, info) => {
  const name = `worker${info.project.name}`;
  world.startAgent(name, undefined, "worker");
  const page = await enter();
  await openAgent(page, name);
  await say(page, "round the total");
  const entry = page.locator(".entry").last();
  const steps = entry.getByRole("region", { name: "Steps" });
  const running = steps.getByRole("listitem").filter({ hasText: "Bash pytest -q" });
  await expect(running).toContainText("running…");
  await expect(entry.locator(".typing")).toHaveCount(0);
  await expect(steps).toContainText("Read 2 files");
  const edit = steps.getByRole("listitem").filter({ hasText: "Edit src/cart.py" });
  await expect(edit).toContainText("+1 −1");
  await expect(edit).toContainText("ok · 0.0 s");
  writeFileSync(join(world.home, name, "go"), "");
  await expect(entry).toHaveAttribute("data-state", "completed");
  await expect(running).toContainText("failed · 2.3 s");
  await page.reload();
  const head = steps.getByRole("button", { name: /4 steps/ });
  // A few lines stay open; they can be folded away.
  await expect(head).toHaveAttribute("aria-expanded", "true");
  await expect(head).toContainText("1 failed");
  await head.click();
  await expect(edit).toHaveCount(0);
  await head.click();
  await edit.locator("summary").click();
  await expect(edit).toContainText("return round(sum(prices), 2)");
  world.tryRun("stop", name);
});

test("a command that does not fit its row folds out, and so does a thought; many steps are folded", async ({ enter, world, fresh }) => {
  const page = await enter();
  const name = fresh("long");
  await openAgent(page, name);
  const agent = new URL(page.url()).pathname.split("/")[2] ?? "";
  const script = "for file in src/*.py; do\n  python -m pytest -q tests/$(basename $file)\ndone";
  const call = (id: number, subject: string) => ({ id: `s${id}`, kind: "command", tool: "Bash", subject, state: "ok", duration_ms: 300 });
  const thought = { id: "t", kind: "thought", state: "ok", text: "First the tests.\nThen the rest." };
  await longConversation(page, agent, name, 1, [thought, call(1, script), call(2, "touch a.txt")]);
  await page.goto(`${world.url}/a/${agent}`);
  const line = (text: string) => page.getByRole("listitem").filter({ hasText: text });
  await expect(line("touch a.txt")).toContainText("ok · 0.3 s");
  await expect(line("touch a.txt").locator("details")).toHaveCount(0);
  await expect(page.getByText("Then the rest.")).toBeHidden();
  await line("First the tests").locator("summary").click();
  await expect(page.getByText("Then the rest.")).toBeVisible();
  await line("for file in").locator("summary").click();
  await expect(line("for file in").locator(".step-whole")).toHaveText(script);
  await page.unroute("**/api/agents/*/messages*");
  await longConversation(page, agent, name, 1, Array.from({ length: 9 }, (_, at) => call(at, `touch ${at}.txt`)));
  await page.reload();
  const head = page.getByRole("button", { name: /9 steps/ });
  await expect(head).toHaveAttribute("aria-expanded", "false");
  await head.click();
  await expect(line("touch 8.txt")).toBeVisible();
});

test("of a program without hooks and record it is said that its steps are only on its screen", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("plain"));
  await say(page, "wait:60");
  await expect(page.getByRole("link", { name: "Its steps are only on its screen" })).toBeVisible();
});
