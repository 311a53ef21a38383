// Numbers of the page, printed and never asserted: first load, the list with many agents, the terminal. `npm run bench`.

import { gzipSync } from "node:zlib";
import { performance } from "node:perf_hooks";
import type { Page } from "@playwright/test";
import { expect, openAgent, openTab, test } from "./fixtures";
import { World } from "./world";

const AGENTS = Number(process.env["BENCH_AGENTS"] ?? 100);
const KEYS = 30;
const LINES = 20_000;
const VIEWERS = 20;

const middle = (times: number[]) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
const print = (what: string, value: string) => console.log(`${what.padEnd(46)} ${value}`);

test("the page in numbers", async ({ browser }) => {
  test.setTimeout(600_000);
  const world = new World();
  try {
    world.makeRepository();
    const link = await world.startHub();
    world.startAgent("bench");

    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    const bodies: Promise<Buffer>[] = [];
    page.on("response", (response) => {
      if (!response.url().includes("/api/")) bodies.push(response.body().catch(() => Buffer.alloc(0)));
    });
    const begin = performance.now();
    await page.goto(link);
    await expect(page.locator('[data-agent="bench"]')).toBeVisible();
    const ready = Math.round(performance.now() - begin);
    const bytes = (await Promise.all(bodies)).reduce((sum, body) => sum + gzipSync(body).length, 0);
    print("first load, link to list", `${ready} ms, ${bytes} B gz`);
    const again = performance.now();
    await page.reload();
    await expect(page.locator('[data-agent="bench"]')).toBeVisible();
    print("reload to list", `${Math.round(performance.now() - again)} ms`);

    await openAgent(page, "bench");
    await openTab(page, "Terminal");
    await page.getByRole("button", { name: "Type here" }).click();
    const rows = page.locator(".xterm-rows");
    await expect(rows).toContainText("dummy>");
    const times: number[] = [];
    for (let n = 0; n < KEYS; n += 1) times.push(await echo(page, String(n % 10)));
    print("key to echo in the browser, p50", `${middle(times).toFixed(1)} ms`);
    await page.keyboard.press("Control+u");

    const flood = performance.now();
    await page.keyboard.type(`long:${LINES}`);
    await page.keyboard.press("Enter");
    await expect(rows).toContainText(`line ${LINES} of ${LINES}`, { timeout: 120_000 });
    const seconds = (performance.now() - flood) / 1_000;
    print("terminal, lines to the browser", `${Math.round(LINES / seconds)} lines/s`);

    const viewers = await Promise.all(Array.from({ length: VIEWERS }, () => context.newPage()));
    const crowd = performance.now();
    await Promise.all(viewers.map((viewer) => viewer.goto(page.url())));
    await Promise.all(viewers.map((viewer) => expect(viewer.locator(".xterm-rows")).toContainText("dummy>", { timeout: 60_000 })));
    print(`${VIEWERS} viewers of one agent, all painted`, `${Math.round(performance.now() - crowd)} ms`);
    await Promise.all(viewers.map((viewer) => viewer.close()));

    for (let n = 1; n < AGENTS; n += 1) world.startAgent(`a${n}`);
    const many = performance.now();
    await page.goto(world.url);
    await expect(page.locator("[data-agent]")).toHaveCount(AGENTS, { timeout: 60_000 });
    print(`list of ${AGENTS} agents`, `${Math.round(performance.now() - many)} ms`);
  } finally {
    await world.end();
  }
});

/** From a key to the letter in the row of the cursor, measured in the page itself. */
async function echo(page: Page, letter: string): Promise<number> {
  return page.evaluate(
    (key) =>
      new Promise<number>((done) => {
        const rows = document.querySelector(".xterm-rows");
        const field = document.querySelector<HTMLTextAreaElement>(".xterm-helper-textarea");
        if (!rows || !field) throw new Error("no terminal");
        const before = rows.textContent;
        const begin = performance.now();
        const watcher = new MutationObserver(() => {
          if (rows.textContent === before) return;
          watcher.disconnect();
          done(performance.now() - begin);
        });
        watcher.observe(rows, { subtree: true, childList: true, characterData: true });
        field.dispatchEvent(new KeyboardEvent("keydown", { key, code: `Digit${key}`, keyCode: 48 + Number(key), bubbles: true, cancelable: true }));
        field.dispatchEvent(new KeyboardEvent("keypress", { key, charCode: 48 + Number(key), keyCode: 48 + Number(key), bubbles: true, cancelable: true }));
      }),
    letter,
  );
}
