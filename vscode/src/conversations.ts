// The conversations that are open, one tab for each agent. The webview shows the page's own components; what they ask
// for goes through here, to the hub and back. Neither the secret nor the hub's address is ever given to it.

import { randomBytes } from "node:crypto";
import * as path from "node:path";
import * as vscode from "vscode";
import { parseRoute } from "../../web/src/state/route";
import type { Agent, Said } from "../../web/src/types";
import type { Desk } from "./desk";
import type { FromWebview, ToWebview } from "./messages";
import { tell } from "./notices";
import { isAllowed } from "./relay";

const KIND = "synapse.conversation";

/** Where links of a conversation lead. */
export type Ways = {
  terminal(agent: Agent): void;
  changes(agent: string, path: string): Promise<void>;
  page(href: string): Promise<void>;
};

export class Conversations implements vscode.WebviewPanelSerializer {
  private readonly open = new Map<string, vscode.WebviewPanel>();
  /** Those that want to hear the live line. */
  private readonly listeners = new Set<string>();

  constructor(
    private readonly desk: Desk,
    private readonly root: vscode.Uri,
    private readonly ways: Ways,
  ) {
    desk.hub.on("said", (said, text) => this.pass(said, text));
    desk.hub.on("lost", () => {
      for (const agent of this.listeners) this.say(agent, { type: "lost" });
    });
    desk.onChange(() => this.retitle());
  }

  register(): vscode.Disposable {
    return vscode.window.registerWebviewPanelSerializer(KIND, this);
  }

  show(agent: string): void {
    const known = this.open.get(agent);
    if (known) {
      known.reveal();
      return;
    }
    const column = vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
    const options = { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [vscode.Uri.joinPath(this.root, "dist")] };
    this.fill(vscode.window.createWebviewPanel(KIND, this.titleOf(agent), column, options), agent);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const agent = (state as { agent?: unknown } | undefined)?.agent;
    if (typeof agent !== "string") {
      panel.dispose();
      return;
    }
    this.desk.hub.want();
    this.fill(panel, agent);
  }

  /** Presence is a visible viewer. */
  isViewed(agent: string): boolean {
    return this.open.get(agent)?.active === true && vscode.window.state.focused;
  }

  /** The agent of the tab in front. */
  get current(): string | undefined {
    return [...this.open].find(([, panel]) => panel.active)?.[0];
  }

  private fill(panel: vscode.WebviewPanel, agent: string): void {
    this.open.set(agent, panel);
    panel.title = this.titleOf(agent);
    panel.iconPath = vscode.Uri.joinPath(this.root, "media/icon.png");
    panel.onDidDispose(() => {
      this.open.delete(agent);
      this.listeners.delete(agent);
    });
    panel.webview.onDidReceiveMessage((said: FromWebview) => this.hear(agent, said));
    panel.webview.html = this.html(panel.webview);
  }

  private hear(agent: string, said: FromWebview): void {
    switch (said.type) {
      case "ready":
        this.say(agent, { type: "start", agent, language: vscode.env.language.startsWith("ja") ? "ja" : "en" });
        return;
      case "listen":
        this.listeners.add(agent);
        this.greet(agent);
        return;
      case "fetch":
        void this.fetch(agent, said);
        return;
      case "open":
        this.follow(said.href).catch(tell);
    }
  }

  /** Tells a conversation all there is, as the hub would. */
  private greet(agent: string): void {
    const { boot, seq, session, agents, edges, deaths, isBehind } = this.desk.hub.world;
    if (isBehind || this.desk.hub.state !== "open") return;
    this.say(agent, { type: "said", text: JSON.stringify({ type: "hello", boot, seq, session, agents: [...agents.values()], edges, deaths }) });
  }

  private pass(said: Said, text: string): void {
    for (const agent of this.listeners) {
      // Questions of other agents are notifications of the editor; here they would be told twice.
      const isElsewhere = said.type === "prompt.opened" && said.agent !== agent;
      this.say(agent, { type: "said", text: isElsewhere ? JSON.stringify({ type: "elsewhere", seq: said.seq, at: said.at }) : text });
    }
  }

  private async fetch(agent: string, { id, method, path: wanted, body }: Extract<FromWebview, { type: "fetch" }>): Promise<void> {
    if (!isAllowed({ method, path: wanted, body }, agent)) {
      const refused = { error: `a conversation may not ask for ${method} ${wanted}`, code: "not_here" };
      this.say(agent, { type: "answer", id, status: 403, body: JSON.stringify(refused) });
      return;
    }
    try {
      const { status, text } = await this.desk.hub.relay(method, wanted, body);
      this.say(agent, { type: "answer", id, status, body: text });
    } catch (error) {
      this.say(agent, { type: "answer", id, status: 0, body: String(error) });
    }
  }

  /** A link of the page: to a file, to changes, to a terminal, to another agent. All else is in the browser. */
  private async follow(href: string): Promise<void> {
    const url = new URL(href, "http://page.invalid");
    const to = parseRoute(url.pathname, url.search);
    const agent = to.screen === "agent" ? this.desk.agent(to.id) : undefined;
    if (to.screen !== "agent" || !agent) return this.ways.page(url.pathname + url.search);
    switch (to.tab) {
      case "terminal":
        this.ways.terminal(agent);
        return;
      case "changes":
        return this.ways.changes(agent.id, to.path);
      case "files": {
        const { worktree } = await this.desk.hub.ask<{ worktree: { path: string } }>("GET", `/api/worktrees/${agent.worktree}`);
        await vscode.window.showTextDocument(vscode.Uri.file(path.resolve(worktree.path, to.path)), { viewColumn: vscode.ViewColumn.One });
        return;
      }
      default:
        this.show(agent.id);
    }
  }

  private retitle(): void {
    for (const [agent, panel] of this.open) {
      const title = this.titleOf(agent);
      if (panel.title !== title) panel.title = title;
    }
  }

  private titleOf(id: string): string {
    const agent = this.desk.agent(id);
    return agent ? `${agent.status === "waiting" ? "▲ " : ""}${agent.handle}` : "Synapse";
  }

  private say(agent: string, message: ToWebview): void {
    void this.open.get(agent)?.webview.postMessage(message);
  }

  /** Only the two files of the extension, and no connection at all. */
  private html(webview: vscode.Webview): string {
    const uri = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(this.root, "dist", name)).toString();
    const nonce = randomBytes(16).toString("base64");
    const policy = ["default-src 'none'", `script-src 'nonce-${nonce}'`, `style-src ${webview.cspSource}`, "img-src data: blob:"].join("; ");
    return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${uri("webview.css")}">
</head>
<body><div id="app"></div><script nonce="${nonce}" src="${uri("webview.js")}"></script></body>
</html>`;
  }
}
