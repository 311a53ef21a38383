// The page in numbers, printed and never asserted: first load, the list with many agents, many that stream at once, a long
// conversation, the terminal, many viewers.
// `make bench` runs it with the release binary; `npm run bench` with the one of SYNAPSE_BIN.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { bar, expect, openAgent, openTab, test } from "./fixtures";
import { longConversation } from "./long-conversation";
import { World } from "./world";

const AGENTS = Number(process.env["BENCH_AGENTS"] ?? 100);
const LOADS = 5;
const STREAMING = Number(process.env["BENCH_STREAMING"] ?? 60);
const ENTRIES = 5_000;
const WATCHED_MS = 5_000;
const KEYS = 100;
const VIEWERS = 20;
const LINE = "\x1b[32mabcdefghijklmnopqrstuvwxyz 0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ ......\x1b[0m\n";
const FLOOD = LINE.repeat(20_000_000 / LINE.length);
const DESK = { viewport: { width: 1280, height: 800 } };
const PATIENT = { timeout: 120_000 };

type Row = [what: string, value: string];

const at = (times: number[], share: number) => [...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
const since = (begin: number) => `${Math.round(performance.now() - begin)} ms`;
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
const rowsOf = (page: Page) => page.locator(".xterm-rows");

test("the page in numbers", async ({ browser }) => {
  test.setTimeout(900_000);
  const world = new World();
  const rows: Row[] = [];
  try {
    world.makeRepository();
    writeFlood(world);
    const link = await world.startHub();
    world.startAgent("bench");
    const context = await browser.newContext(DESK);
    const page = await context.newPage();
    await firstLoad(page, link, rows);
    await loads(browser, context, world, rows);
    await keys(page, rows);
    await viewers(context, page, rows);
    await flood(page, world, rows);
    await conversation(context, world, rows);
    for (let n = 2; n < AGENTS; n += 1) world.startAgent(`a${n}`);
    const begin = performance.now();
    await page.goto(world.url);
    await expect(page.locator("[data-agent]")).toHaveCount(AGENTS, PATIENT);
    rows.push([`${AGENTS} agents, to the whole list`, since(begin)]);
    const sent = performance.now();
    world.send("bench", "wait:5");
    await expect(page.locator('[data-agent="bench"] .badge')).toHaveAttribute("data-status", "working");
    rows.push([`${AGENTS} agents, \`synapse send\` to the badge`, since(sent)]);
    await streaming(page, world, rows);
  } finally {
    await world.end();
  }
  const width = Math.max(...rows.map(([what]) => what.length));
  for (const [what, value] of rows) console.log(`${what.padEnd(width)}  ${value}`);
});

/** What a browser that has never been here loads, and how long until it shows the agents. */
async function firstLoad(page: Page, link: string, rows: Row[]): Promise<void> {
  const sizes: Promise<number>[] = [];
  const bodies: Promise<number>[] = [];
  page.on("requestfinished", (request) => {
    if (request.url().includes("/api/")) return;
    sizes.push(request.sizes().then((size) => size.responseBodySize + size.responseHeadersSize));
    bodies.push(request.response().then(async (response) => (response ? gzipSync(await response.body()).length : 0)));
  });
  const begin = performance.now();
  await page.goto(link);
  await expect(page.locator('[data-agent="bench"]')).toBeVisible();
  const ready = since(begin);
  const sum = async (numbers: Promise<number>[]) => (await Promise.all(numbers)).reduce((a, b) => a + b, 0);
  rows.push(["first load, bytes on the wire", kilobytes(await sum(sizes))]);
  rows.push(["first load, as the budget counts (60 kB gz)", kilobytes(await sum(bodies))]);
  rows.push(["page ready: one-time link to the list", ready]);
}

/** The same for somebody who is let in already. */
async function loads(browser: Browser, context: BrowserContext, world: World, rows: Row[]): Promise<void> {
  const empty: number[] = [];
  for (let n = 0; n < LOADS; n += 1) {
    const fresh = await browser.newContext({ ...DESK, storageState: await context.storageState() });
    empty.push(await ready(await fresh.newPage(), world.url));
    await fresh.close();
  }
  rows.push(["page ready: empty cache", `${Math.round(at(empty, 0.5))} ms`]);
  const cached: number[] = [];
  const again = await context.newPage();
  for (let n = 0; n < LOADS; n += 1) cached.push(await ready(again, world.url));
  await again.close();
  rows.push(["page ready: reload", `${Math.round(at(cached, 0.5))} ms`]);
}

async function ready(page: Page, url: string): Promise<number> {
  const begin = performance.now();
  await page.goto(url);
  await expect(page.locator('[data-agent="bench"]')).toBeVisible();
  return performance.now() - begin;
}

async function keys(page: Page, rows: Row[]): Promise<void> {
  await openAgent(page, "bench");
  await openTab(page, "Terminal");
  await page.getByRole("button", { name: "Type here" }).click();
  await expect(rowsOf(page)).toContainText("dummy>");
  const times: number[] = [];
  for (let n = 0; n < KEYS; n += 1) {
    times.push(await echo(page, String(n % 10)));
    if (n % 20 === 19) await page.keyboard.press("Control+u");
  }
  rows.push(["key to its echo in the browser", `p50 ${at(times, 0.5).toFixed(1)}, p99 ${at(times, 0.99).toFixed(1)} ms`]);
}

/** From a key to the letter in the terminal's rows, measured in the page itself. */
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
        const code = 48 + Number(key);
        field.dispatchEvent(new KeyboardEvent("keydown", { key, code: `Digit${key}`, keyCode: code, bubbles: true, cancelable: true }));
        field.dispatchEvent(new KeyboardEvent("keypress", { key, charCode: code, keyCode: code, bubbles: true, cancelable: true }));
      }),
    letter,
  );
}

async function viewers(context: BrowserContext, page: Page, rows: Row[]): Promise<void> {
  const crowd = await Promise.all(Array.from({ length: VIEWERS }, () => context.newPage()));
  const begin = performance.now();
  await Promise.all(crowd.map((viewer) => viewer.goto(page.url())));
  const all = (text: string) => Promise.all(crowd.map((viewer) => expect(rowsOf(viewer)).toContainText(text, PATIENT)));
  await all("dummy>");
  rows.push([`${VIEWERS} viewers of one agent, all painted`, since(begin)]);
  await page.keyboard.type("json");
  const said = performance.now();
  await page.keyboard.press("Enter");
  await all("gamma");
  rows.push([`${VIEWERS} viewers, a line typed to the last of them`, since(said)]);
  await Promise.all(crowd.map((viewer) => viewer.close()));
}

/** Frames a second that the page draws, and the longest pause between two, while it is left alone. */
async function frames(page: Page): Promise<string> {
  const { count, longest } = await page.evaluate(
    (ms) =>
      new Promise<{ count: number; longest: number }>((done) => {
        const begin = performance.now();
        let [count, longest, last] = [0, 0, begin];
        const frame = (now: number) => {
          longest = Math.max(longest, now - last);
          last = now;
          if (now - begin >= ms) done({ count, longest });
          else {
            count += 1;
            requestAnimationFrame(frame);
          }
        };
        requestAnimationFrame(frame);
      }),
    WATCHED_MS,
  );
  return `${((count * 1_000) / WATCHED_MS).toFixed(0)} fps, longest frame ${longest.toFixed(0)} ms`;
}

/** Many agents that write at once, seen from the list and from the conversation with one of them. */
async function streaming(page: Page, world: World, rows: Row[]): Promise<void> {
  await page.goto(world.url);
  await expect(page.locator("[data-agent]")).toHaveCount(AGENTS, PATIENT);
  rows.push([`${AGENTS} agents at rest, the list`, await frames(page)]);
  const names = ["bench", ...Array.from({ length: STREAMING - 1 }, (_, n) => `a${n + 2}`)];
  for (const name of names) world.send(name, "slow:600");
  await expect(page.locator('.badge[data-status="working"]').nth(STREAMING - 1)).toBeVisible(PATIENT);
  rows.push([`${STREAMING} streaming, the list`, await frames(page)]);
  await openAgent(page, "bench");
  await expect(page.locator(".entry").last()).toContainText("alpha", PATIENT);
  rows.push([`${STREAMING} streaming, conversation and terminal of one`, await frames(page)]);
}

/** A conversation that nobody reads from end to end: to open it, its first message, and to write below it. */
async function conversation(context: BrowserContext, world: World, rows: Row[]): Promise<void> {
  const page = await context.newPage();
  await page.goto(world.url);
  await openAgent(page, "bench");
  const agent = new URL(page.url()).pathname.split("/")[2] ?? "";
  await longConversation(page, agent, "bench", ENTRIES);
  const opened = performance.now();
  await page.goto(`${world.url}/a/${agent}`);
  await expect(page.getByText(`message ${ENTRIES}`, { exact: true })).toBeInViewport(PATIENT);
  rows.push([`${ENTRIES} entries, to the last of them`, since(opened)]);
  const linked = performance.now();
  await page.goto(`${world.url}/a/${agent}?message=task-1`);
  await expect(page.getByText("message 1", { exact: true })).toBeInViewport(PATIENT);
  rows.push([`${ENTRIES} entries, a link to the first of them`, since(linked)]);
  const log = page.getByRole("log");
  await log.evaluate((box) => {
    const step = () => {
      box.scrollTop += 25;
      requestAnimationFrame(step);
    };
    step();
  });
  rows.push([`${ENTRIES} entries, scrolling`, await frames(page)]);
  await bar(page).focus();
  const times: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    times.push(
      await page.evaluate(
        () =>
          new Promise<number>((done) => {
            const begin = performance.now();
            document.execCommand("insertText", false, "x");
            requestAnimationFrame(() => done(performance.now() - begin));
          }),
      ),
    );
  }
  rows.push([`${ENTRIES} entries, a letter in the message bar to the next frame`, `p50 ${at(times, 0.5).toFixed(1)} ms`]);
  await page.close();
}

/** A program that prints a file when it is told to. */
function writeFlood(world: World): void {
  const file = join(world.home, "flood.txt");
  writeFileSync(file, FLOOD);
  const script = join(world.home, "flood.sh");
  writeFileSync(script, `printf 'flood> '\nwhile read line; do cat ${file}; printf 'all of it\\nflood> '; done\n`);
  const profiles = join(world.home, ".synapse", "profiles");
  mkdirSync(profiles, { recursive: true });
  const profile = ["name: flood", `command: [sh, ${script}]`, "idle_regex: '^flood> $'", "prompt_template: '{text}'", "interrupt_key: ctrl-c"];
  writeFileSync(join(profiles, "flood.yaml"), `${profile.join("\n")}\n`);
}

/** Bytes that the page was sent, and bytes that the program printed, until the page shows the last of them. */
async function flood(page: Page, world: World, rows: Row[]): Promise<void> {
  world.startAgent("flood", join(world.home, "flood"), "flood");
  let received = 0;
  page.on("websocket", (socket) => {
    if (!socket.url().endsWith("/terminal")) return;
    socket.on("framereceived", ({ payload }) => (received += payload.length));
  });
  await page.goto(world.url);
  await openAgent(page, "flood");
  await openTab(page, "Terminal");
  await page.getByRole("button", { name: "Type here" }).click();
  await expect(rowsOf(page)).toContainText("flood>");
  received = 0;
  const begin = performance.now();
  await page.keyboard.press("Enter");
  await expect(rowsOf(page)).toContainText("all of it", PATIENT);
  const seconds = (performance.now() - begin) / 1_000;
  const speed = (bytes: number) => `${(bytes / 1e6 / seconds).toFixed(1)} MB/s (${(bytes / 1e6).toFixed(1)} MB)`;
  rows.push(["terminal, what the program printed", speed(FLOOD.length)]);
  rows.push(["terminal, what of it the browser was sent and painted", speed(received)]);
}
