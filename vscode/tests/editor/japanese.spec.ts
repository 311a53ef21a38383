// The extension in an editor that speaks Japanese.

import { expect, test } from "@playwright/test";
import { Editor } from "./editor";

test("in a Japanese editor the extension speaks Japanese", async ({ browser }, info) => {
  const editor = new Editor();
  try {
    editor.world.makeRepository();
    editor.world.startAgent("coder", editor.world.repository);
    await editor.start("--locale", "ja");
    const page = await browser.newPage({ locale: "ja-JP" });
    const window = await editor.open(page);
    await window.activity.click();
    await expect(window.row("coder")).toContainText("待機中");
    await expect(page.locator(".sidebar .title")).toContainText("エージェント");
    await window.row("coder").click();
    await expect(window.conversation.getByRole("textbox", { name: "coder へのメッセージ" })).toBeVisible();
    await page.screenshot({ path: info.outputPath("window.png") });
    await page.close();
  } finally {
    await editor.end();
  }
});
