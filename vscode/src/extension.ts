// The extension: makes its parts, and says which command is whose.

import * as vscode from "vscode";
import { Changes } from "./changes";
import { Conversations } from "./conversations";
import { Desk } from "./desk";
import { Hub } from "./hub/hub";
import { Making } from "./making";
import { tell } from "./notices";
import { Questions } from "./questions";
import { isBusy, type Row } from "./rows";
import { Sending } from "./sending";
import { StatusBar } from "./status-bar";
import { Stops } from "./stops";
import { Terminals } from "./terminals";
import { AgentsView } from "./view";

type RunRow = Extract<Row, { kind: "run" }>;

let own: Hub | null = null;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Synapse");
  const path = () => vscode.workspace.getConfiguration("synapse").get("path", "synapse");
  const hub = new Hub(path, context.secrets, (line) => log.appendLine(line));
  own = hub;
  const desk = new Desk(hub);
  const terminals = new Terminals(desk);
  const changes = new Changes(desk);
  const conversations = new Conversations(desk, context.extensionUri, {
    terminal: (agent) => terminals.attach(agent),
    changes: (agent, file) => changes.show(agent, file === "" ? undefined : file),
    page: (href) => openPage(desk, href),
  });
  const questions = new Questions(desk, (agent) => conversations.isViewed(agent));
  const stops = new Stops(desk);
  const sending = new Sending(desk, context.workspaceState);
  const making = new Making(desk);

  const commands: Record<string, (about?: unknown) => unknown> = {
    openConversation: async (about) => {
      const agent = await desk.pick(about, vscode.l10n.t("Whose conversation?"));
      if (agent) conversations.show(agent.id);
    },
    openTerminal: async (about) => {
      const agent = await desk.pick(about ?? conversations.current, vscode.l10n.t("Whose terminal?"));
      if (agent) terminals.attach(agent);
    },
    stop: async (about) => {
      const agent = await desk.pick(about ?? conversations.current, vscode.l10n.t("Who is to stop?"), isBusy);
      if (agent) await stops.stop(agent);
    },
    answer: (about) => questions.answer(about),
    choose: (row) => questions.choose(row as Row),
    nextWaiting: async () => {
      await desk.ready();
      const first = desk.agents.find((agent) => agent.status === "waiting");
      if (first) conversations.show(first.id);
      else await vscode.commands.executeCommand("synapse.agents.focus");
    },
    sendSelection: () => sending.selection(),
    sendFile: (uri) => sending.file(uri instanceof vscode.Uri ? uri : undefined),
    showChanges: (about) => changes.show(about ?? conversations.current),
    newAgent: (about) => making.agent(about),
    newWorktree: () => making.newWorktree(),
    startFlow: () => making.flow(),
    showFlow: (row) => terminals.follow((row as RunRow).run),
    stopFlow: (row) => making.stopFlow(row as RunRow),
    openPage: () => openPage(desk, "/"),
    connect: () => {
      hub.want();
      hub.connect();
    },
  };
  for (const [name, run] of Object.entries(commands)) {
    const told = async (about: unknown) => {
      try {
        await run(about);
      } catch (error) {
        tell(error);
      }
    };
    context.subscriptions.push(vscode.commands.registerCommand(`synapse.${name}`, told));
  }
  context.subscriptions.push(log, new AgentsView(desk), new StatusBar(desk), changes.register(), conversations.register());
  // Whoever has a hub running sees at once who waits; nobody gets one by opening a window.
  if (hub.state === "asleep") hub.connect();
}

/** The hub we started ends with the window; agents go on without it. */
export function deactivate(): void {
  own?.end();
}

/** The page in a browser, which gets a login of its own. */
async function openPage(desk: Desk, href: string): Promise<void> {
  const { code } = await desk.hub.ask<{ code: string }>("POST", "/api/devices", { read_only: false });
  const uri = vscode.Uri.parse(`${desk.hub.url ?? ""}${href}#code=${code}`, true);
  await vscode.env.openExternal(await vscode.env.asExternalUri(uri));
}
