// A real VS Code with the packaged extension in it: code-server in a private home, with real agents of their own.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, type FrameLocator, type Locator, type Page } from "@playwright/test";
import { World } from "../../../web/tests/browser/world";

const ROOT = join(import.meta.dirname, "../..");
const CACHE = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "synapse/code-server-4.139.1/code-server");
const BINARY = resolve(process.env["SYNAPSE_BIN"] ?? join(ROOT, "../target/debug/synapse"));
const CODE_SERVER = process.env["CODE_SERVER"] ?? CACHE;

/** What would only stand in the way. The terminal is drawn as text, so that it can be read. */
const SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.colorTheme": "Default Dark Modern",
  "window.commandCenter": false,
  "workbench.tips.enabled": false,
  "chat.commandCenter.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "terminal.integrated.gpuAcceleration": "off",
  "extensions.ignoreRecommendations": true,
  "git.openRepositoryInParentFolders": "never",
  // Both sides of a diff, however little room there is.
  "diffEditor.renderSideBySide": true,
  "diffEditor.useInlineViewWhenSpaceIsLimited": false,
};

export class Editor {
  private server: ChildProcess | null = null;
  private url = "";
  readonly world = new World();

  private get folders(): string[] {
    return ["--user-data-dir", join(this.world.home, "code/data"), "--extensions-dir", join(this.world.home, "code/extensions")];
  }

  async start(): Promise<void> {
    if (!existsSync(CODE_SERVER)) throw new Error(`there is no code-server at ${CODE_SERVER}; scripts/setup-vscode installs it`);
    // The editor takes its PATH from a login shell, which knows nothing of this build.
    for (const [name, settings] of Object.entries({ User: SETTINGS, Machine: { "synapse.path": BINARY } })) {
      const folder = join(this.world.home, "code/data", name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "settings.json"), JSON.stringify(settings));
    }
    this.install();
    const args = ["--auth", "none", "--bind-addr", "127.0.0.1:0", ...this.folders, "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
    const server = spawn(CODE_SERVER, args, { cwd: this.world.home, env: this.world.env, stdio: ["ignore", "pipe", "ignore"] });
    this.server = server;
    this.url = await new Promise<string>((found, failed) => {
      createInterface({ input: server.stdout }).on("line", (line) => {
        const url = /HTTP server listening on (http:\S+)/.exec(line)?.[1];
        if (url) found(url);
      });
      server.once("exit", (code) => failed(new Error(`code-server ended with ${code}`)));
    });
  }

  /** As a person would: by the command that `synapse` has for it. */
  private install(): void {
    const bin = join(this.world.home, "bin");
    mkdirSync(bin);
    const command = [CODE_SERVER, ...this.folders].map((word) => `'${word}'`).join(" ");
    writeFileSync(join(bin, "code-server"), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
    const env = { ...this.world.env, PATH: `${bin}:${this.world.env["PATH"] ?? ""}` };
    const done = spawnSync(BINARY, ["vscode", "install", "code-server", "--vsix", join(ROOT, "synapse.vsix")], { env, encoding: "utf8" });
    if (done.status !== 0) throw new Error(`synapse vscode install: ${done.stdout}${done.stderr}`);
  }

  async open(page: Page): Promise<Window> {
    await page.goto(`${this.url}?folder=${encodeURIComponent(this.world.repository)}`);
    const window = new Window(page);
    await expect(page.locator('.activitybar [aria-label^="Synapse"]').first()).toBeVisible({ timeout: 60_000 });
    return window;
  }

  async end(): Promise<void> {
    const server = this.server;
    if (server && server.exitCode === null) {
      const ended = new Promise((done) => server.once("exit", done));
      server.kill("SIGTERM");
      await ended;
    }
    await this.world.end();
  }
}

/** One window of it, by what a person sees. */
export class Window {
  constructor(readonly page: Page) {}

  get activity(): Locator {
    return this.page.locator('.activitybar [aria-label^="Synapse"]').first();
  }

  row(text: string | RegExp): Locator {
    return this.page.locator(".sidebar .monaco-list-row").filter({ hasText: text });
  }

  toast(text: string | RegExp): Locator {
    return this.page.locator(".notification-toast").filter({ hasText: text });
  }

  get input(): Locator {
    return this.page.locator(".quick-input-widget input.input, .quick-input-widget .input").first();
  }

  get offers(): Locator {
    return this.page.locator(".quick-input-widget .monaco-list-row");
  }

  /** The conversation in front. */
  get conversation(): FrameLocator {
    return this.page.frameLocator("iframe.webview.ready >> visible=true").frameLocator("#active-frame");
  }

  async run(command: string): Promise<void> {
    await this.summon("F1");
    await this.input.fill(`>${command}`);
    await expect(this.offers.first()).toContainText(command.replace(/^.*: /, ""));
    await this.page.keyboard.press("Enter");
  }

  /** A webview that has the focus and is still loading hands no key on to the editor: a person presses it again. */
  private async summon(key: string): Promise<void> {
    await expect(async () => {
      await this.page.keyboard.press(key);
      await expect(this.input).toBeVisible({ timeout: 2_000 });
    }).toPass();
  }

  /** Picks what is offered by its first words. */
  async choose(words: string): Promise<void> {
    const offer = this.offers.filter({ hasText: words }).first();
    await expect(offer).toBeVisible();
    await offer.click();
  }

  /** A notification's button; it goes with the notification. */
  async press(toast: Locator, button: string): Promise<void> {
    await toast.getByRole("button", { name: button, exact: true }).click();
    await expect(toast).toHaveCount(0);
  }

  async openFile(name: string): Promise<void> {
    await this.summon("Control+P");
    await this.input.fill(name);
    await expect(this.offers.first()).toContainText(name.split("/").pop() ?? name);
    await this.page.keyboard.press("Enter");
    await expect(this.page.locator(".editor-group-container .monaco-editor").first()).toBeVisible();
  }
}
