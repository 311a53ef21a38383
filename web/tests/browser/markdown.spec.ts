import type { Page } from "@playwright/test";
import { expect, openAgent, say, test } from "./fixtures";

/** Gives every reply of the agent another text, as if it had said that. */
async function replyWith(page: Page, artifacts: { type: string; text: string; language?: string }[]): Promise<void> {
  const made = artifacts.map(({ type, text, language }) => ({ type, parts: [{ type: "text", text }], metadata: language ? { language } : {} }));
  await page.route(/\/messages|\/api\/tasks\//, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { tasks?: Record<string, unknown>[]; task?: Record<string, unknown> };
    for (const task of body.tasks ?? [body.task ?? {}]) {
      task["artifacts"] = made;
      task["reply"] = artifacts.map((one) => (one.type === "code" ? `\`\`\`${one.language ?? ""}\n${one.text}\n\`\`\`` : one.text)).join("\n\n");
    }
    await route.fulfill({ response: answer, json: body });
  });
  await say(page, "say:done");
  await expect(page.locator(".entry")).toHaveAttribute("data-state", "completed");
  await page.reload();
}

const PROSE = `# Plan

Some **bold**, *slanted* and \`code\` words, [docs](https://example.com/x), [bad](javascript:alert(1)) and <img src=x onerror=alert(1)>.

- first
  - nested
- [x] done

1. one
2. two

> quoted

| Name | Port |
|------|-----:|
| claude | 8100 |

Math: $a_i*b_i*c$
`;

test("a reply is shown as Markdown, of which nothing becomes HTML", async ({ enter, fresh, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await enter();
  await openAgent(page, fresh("writer"));
  await replyWith(page, [{ type: "text", text: PROSE }, { type: "code", language: "rust", text: 'fn main() {\n    println!("hi"); // say\n}' }]);
  const reply = page.locator(".entry .reply");
  await expect(reply.getByRole("heading", { name: "Plan" })).toBeVisible();
  await expect(reply.locator("strong")).toHaveText("bold");
  await expect(reply.locator("em")).toHaveText("slanted");
  await expect(reply.getByRole("list").first()).toContainText("nested");
  await expect(reply.getByRole("cell", { name: "8100" })).toBeVisible();
  await expect(reply.locator("blockquote")).toHaveText("quoted");
  await expect(reply).toContainText("$a_i*b_i*c$");
  const link = reply.getByRole("link", { name: "docs" });
  await expect(link).toHaveAttribute("href", "https://example.com/x");
  await expect(link).toHaveAttribute("rel", /noopener/);
  await expect(reply).toContainText("[bad](javascript:alert(1))");
  await expect(reply).toContainText("<img src=x onerror=alert(1)>");
  expect(await reply.locator("img, script, a[href^=javascript]").count()).toBe(0);
  await expect(reply.locator(".code-card .token-keyword").first()).toHaveText("fn");

  await reply.getByRole("button", { name: "Copy reply" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("# Plan\n\nSome **bold**");
  await reply.getByRole("button", { name: "Source" }).click();
  await expect(reply.locator(".source")).toContainText("| claude | 8100 |");
  await expect(reply.getByRole("heading")).toHaveCount(0);
  await reply.getByRole("button", { name: "Source" }).click();
  await expect(reply.getByRole("heading", { name: "Plan" })).toBeVisible();
});

test("a diff in a reply is coloured", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("differ"));
  await replyWith(page, [{ type: "code", language: "diff", text: "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n def a():\n-    return 1\n+    return 2\n" }]);
  const diff = page.getByRole("region", { name: "Changed lines" });
  await expect(diff.locator(".diff-add")).toContainText("return 2");
  await expect(diff.locator(".diff-add .token-keyword")).toHaveText("return");
});

test("of a reply of two megabytes only what is near the view is drawn", async ({ enter, fresh }) => {
  const page = await enter();
  await openAgent(page, fresh("novelist"));
  const lines = Array.from({ length: 25_000 }, (_, at) => (at % 40 === 0 ? `## Part ${at}` : at % 10 === 0 ? "" : `Line ${at} with **weight** and \`code\` and more words to fill it up, as replies have them.`));
  await replyWith(page, [{ type: "text", text: `${lines.join("\n")}\nthe very end` }]);
  const reply = page.locator(".entry .reply");
  await expect(reply.getByRole("heading", { name: "Part 0" })).toBeVisible();
  await reply.getByRole("button", { name: /^Show \d+ more lines$/ }).click();
  await expect(reply.getByRole("heading", { name: "Part 40" })).toBeVisible();
  expect(await reply.locator("*").count()).toBeLessThan(8_000);
  await expect(reply.getByRole("button", { name: "Show less" })).toBeVisible();
  // Scrolling down draws more of it.
  const before = await reply.locator(".chunk").count();
  await page.locator(".entries").evaluate((list) => (list.scrollTop = list.scrollHeight));
  await expect.poll(() => reply.locator(".chunk").count()).toBeGreaterThan(before);
});
