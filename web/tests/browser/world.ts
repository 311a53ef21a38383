// A private home with a real hub and real agents, for tests of the page. Everything started here ends with it.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";

const BINARY = resolve(process.env["SYNAPSE_BIN"] ?? join(import.meta.dirname, "../../../target/debug/synapse"));
const PATIENCE_MS = 30_000;

const RUNNER = String.raw`
while printf 'runner> ' && read -r line; do
  printf '\033[2J\033[H'
  printf '─%.0s' $(seq "$(stty size </dev/tty | cut -d' ' -f2)")
  printf '\n Bash command\n\n   %s\n' "$line"
  printf '   \033[38;2;153;153;153mDo as told\033[39m\n\n Do you want to proceed?\n'
  printf ' ❯ 1. Yes\n   2. No\n\n Esc to cancel\033[?25l'
  while IFS= read -rsn1 key; do
    case $key in 1) answer=yes ;; 2) answer=no ;; $'\003') answer=stopped ;; *) continue ;; esac
    break
  done
  printf '\033[?25h\033[2J\033[Hok: %s\n' "$answer"
done
`;

/** Takes hooks as Claude Code does, and tells through them what it does; the second call ends when a file is there. */
const WORKER = String.raw`#!/bin/bash
hook=$(printf %s "$2" | sed 's/.*"command":"\([^"]*\)".*/\1/')
tell() { printf '{"session_id":"s","hook_event_name":"%s"%s}' "$1" "$2" | eval "$hook"; }
patch='"structuredPatch":[{"oldStart":1,"oldLines":2,"newStart":1,"newLines":2,"lines":[" def total(prices):","-    return sum(prices)","+    return round(sum(prices), 2)"]}]'
tell SessionStart
printf '> '
while IFS= read -r line; do
  tell UserPromptSubmit ",\"prompt\":\"$line\""
  for file in README.md src/cart.py; do
    call=",\"tool_name\":\"Read\",\"tool_input\":{\"file_path\":\"$file\"},\"tool_use_id\":\"$file\""
    tell PreToolUse "$call"
    tell PostToolUse "$call,\"duration_ms\":12"
  done
  call=',"tool_name":"Edit","tool_input":{"file_path":"src/cart.py","old_string":"a","new_string":"b"},"tool_use_id":"e"'
  tell PreToolUse "$call"
  tell PostToolUse "$call,\"duration_ms\":30,\"tool_response\":{\"filePath\":\"src/cart.py\",$patch}"
  call=",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"pytest -q\"},\"tool_use_id\":\"b\""
  tell PreToolUse "$call"
  until [ -e go ]; do sleep 0.1; done
  tell PostToolUseFailure "$call,\"duration_ms\":2300"
  tell Stop ',"last_assistant_message":"One test fails."'
  printf 'done\n> '
done
`;

export class World {
  readonly home = mkdtempSync(join(tmpdir(), "synapse-page-test-"));
  readonly repository = join(this.home, "shop");
  private hub: ChildProcess | null = null;
  /** Where the hub is served; the same after a restart. */
  url = "";
  private port = 0;

  get env(): NodeJS.ProcessEnv {
    const home = { HOME: this.home, SYNAPSE_HOME: join(this.home, ".synapse"), A2A_HOME: join(this.home, ".a2a") };
    const git = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.com", GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@example.com" };
    return { ...process.env, ...home, ...git, PATH: `${dirname(BINARY)}:${process.env["PATH"] ?? ""}`, NO_COLOR: "1" };
  }

  /** Runs a command to its end and gives what it printed. */
  run(command: string, ...args: string[]): string {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: this.repository, env: this.env, encoding: "utf8", timeout: PATIENCE_MS });
    if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${status} ${stdout}${stderr}`);
    return stdout;
  }

  synapse(...args: string[]): string {
    return this.run(BINARY, ...args);
  }

  /** The same where failing is no matter, as in clearing up. */
  tryRun(...args: string[]): void {
    spawnSync(BINARY, args, { cwd: this.repository, env: this.env, timeout: PATIENCE_MS });
  }

  makeRepository(): void {
    mkdirSync(this.repository, { recursive: true });
    mkdirSync(join(this.repository, "src"));
    writeFileSync(join(this.repository, "README.md"), "# Shop\n\nA small shop.\n");
    writeFileSync(join(this.repository, "src/cart.py"), "def total(prices):\n    return sum(prices)\n");
    this.run("git", "init", "-q", "-b", "main");
    this.run("git", "add", "-A");
    this.run("git", "commit", "-q", "-m", "begin");
  }

  /** A program that prints what a page must not be touched by, and one that asks as coding agents do. */
  writeProfiles(): void {
    const evil = [
      "\\033]52;c;cHduZWQ=\\007",
      "\\033[38;2;255;0;0mtrue red\\033[0m",
      "\\033]8;;javascript:alert(1)\\007link\\033]8;;\\007",
      "<img src=x onerror=alert(1)><script>alert(2)</script>",
    ].join(" ");
    this.writeProfile("hostile", `printf '${evil}\\nend of it\\n'`);
    const dialog = [" Bash command", "", "   rm -rf build", "   Clear what was built", "", " Do you want to proceed?", " ❯ 1. Yes", "   2. No", "", " Esc to cancel"];
    this.writeProfile("permit", `printf '\\033[?25l────────────\\n${dialog.join("\\n")}\\n'; read answer; printf '\\033[?25h\\033[2J\\033[Hdone\\n'`);
  }

  /** A program that asks, as Claude Code does, before it runs what it is told. */
  writeRunner(): void {
    const script = join(this.home, "runner.sh");
    writeFileSync(script, RUNNER);
    const profile = ["name: runner", `command: [bash, ${script}]`, "idle_regex: '^runner> $'", "prompt_template: '{text}'"];
    profile.push("record: claude", "interrupt_key: ctrl-c", "asking: { by_digit: true }");
    writeFileSync(join(this.home, ".synapse", "profiles", "runner.yaml"), `${profile.join("\n")}\n`);
  }

  /** A program that says through hooks what it does. */
  writeWorker(): void {
    const program = join(this.home, "claude");
    writeFileSync(program, WORKER, { mode: 0o755 });
    const profile = ["name: worker", `command: [${program}]`, "idle_regex: '^> $'", "prompt_template: '{text}'", "interrupt_key: ctrl-c"];
    writeFileSync(join(this.home, ".synapse", "profiles", "worker.yaml"), `${profile.join("\n")}\n`);
  }

  /** A program that runs these commands of a shell with every line it gets. */
  private writeProfile(name: string, commands: string): void {
    const profiles = join(this.home, ".synapse", "profiles");
    mkdirSync(profiles, { recursive: true });
    const script = join(this.home, `${name}.sh`);
    writeFileSync(script, `printf '${name}> '\nwhile read line; do ${commands}; printf '${name}> '; done\n`);
    const profile = [`name: ${name}`, `command: [sh, ${script}]`, `idle_regex: '^${name}> $'`, "prompt_template: '{text}'", "interrupt_key: ctrl-c"];
    writeFileSync(join(profiles, `${name}.yaml`), `${profile.join("\n")}\n`);
  }

  /** The hub may be called by a name of its own, as behind a proxy. */
  writeConfig(): void {
    mkdirSync(join(this.home, ".synapse"), { recursive: true });
    writeFileSync(join(this.home, ".synapse", "config.yaml"), "host_names: [hub.localhost]\n");
  }

  /** The address of the hub by that name. */
  get publicUrl(): string {
    return `http://hub.localhost:${this.port}`;
  }

  /** Starts the hub and gives the one-time link it prints. */
  async startHub(...args: string[]): Promise<string> {
    const hub = spawn(BINARY, ["web", "--port", String(this.port), ...args], { cwd: this.repository, env: this.env, stdio: ["ignore", "pipe", "pipe"] });
    this.hub = hub;
    const said: string[] = [];
    hub.stderr.on("data", (chunk: Buffer) => said.push(String(chunk)));
    const link = await new Promise<string>((found, failed) => {
      createInterface({ input: hub.stdout }).once("line", found);
      hub.once("exit", (code) => failed(new Error(`the hub ended with ${code}: ${said.join("")}`)));
    });
    this.url = new URL(link).origin;
    this.port = Number(new URL(link).port);
    return link;
  }

  async killHub(): Promise<void> {
    const hub = this.hub;
    this.hub = null;
    if (!hub || hub.exitCode !== null) return;
    const ended = new Promise((done) => hub.once("exit", done));
    hub.kill("SIGKILL");
    await ended;
  }

  link(...args: string[]): string {
    return this.synapse("web", "login", ...args).trim();
  }

  /** In a folder of its own by default. */
  startAgent(name: string, dir = join(this.home, name), profile = "dummy"): void {
    mkdirSync(dir, { recursive: true });
    this.synapse("start", profile, "--name", name, "--port", "0", "--cwd", dir);
  }

  /** Sends without waiting for the reply. */
  send(name: string, text: string, ...args: string[]): void {
    this.synapse("send", name, text, "--no-return", ...args);
  }

  async end(): Promise<void> {
    await this.killHub();
    this.tryRun("stop", "--all");
    rmSync(this.home, { recursive: true, force: true });
  }
}
