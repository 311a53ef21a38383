import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, openAgent, say, test } from "./fixtures";

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

test("of a program without hooks and record it is said that its steps are only on its screen", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("plain"));
  await say(page, "wait:60");
  await expect(page.getByRole("link", { name: "Its steps are only on its screen" })).toBeVisible();
});
