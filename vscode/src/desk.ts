// What the commands share: the hub, the agents this window shows, the runs of flows, and how a failure is told.

import * as vscode from "vscode";
import { byUrgency } from "../../web/src/state/agent-order";
import type { FlowLine } from "../../web/src/state/flows";
import type { Agent } from "../../web/src/types";
import type { Hub } from "./hub/hub";
import { inform } from "./notices";
import { isShown, type Shown } from "./shown";

/** Many things may happen to a run at once; they are fetched once. */
const PAUSE_MS = 200;

export class Desk {
  private readonly emitter = new vscode.EventEmitter<void>();
  /** Agents, runs or settings are others. */
  readonly onChange = this.emitter.event;
  runs: FlowLine[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(readonly hub: Hub) {
    hub.on("changed", () => this.emitter.fire());
    hub.on("state", (state) => {
      void vscode.commands.executeCommand("setContext", "synapse.state", state);
      this.emitter.fire();
    });
    hub.on("said", (said) => {
      if (said.type === "hello" || said.type === "flow") this.fetchRuns();
    });
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("synapse")) this.emitter.fire();
    });
    vscode.workspace.onDidChangeWorkspaceFolders(() => this.emitter.fire());
  }

  /** Those this window shows, the waiting ones first. */
  get agents(): Agent[] {
    const settings = vscode.workspace.getConfiguration("synapse");
    const shown: Shown = {
      agents: settings.get("agents", "all"),
      names: settings.get("agentNames", []),
      folders: (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
    };
    return this.hub.agents.filter((agent) => isShown(agent, shown)).sort(byUrgency);
  }

  agent(id: string): Agent | undefined {
    return this.hub.world.agents.get(id);
  }

  /** The agent that a command is about: the one of a row or an id, the only one there is, or the one that is picked. */
  async pick(about: unknown, placeHolder: string, among = (_: Agent) => true): Promise<Agent | undefined> {
    await this.ready();
    const id = idIn(about);
    if (id !== undefined) return this.agent(id);
    const agents = this.agents.filter(among);
    if (agents.length === 0) {
      void inform(vscode.l10n.t("There is no such agent here."));
      return undefined;
    }
    if (agents.length === 1) return agents[0];
    const items = agents.map((agent) => ({ label: agent.handle, description: `${statusWord(agent.status)} · ${agent.dir}`, agent }));
    return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))?.agent;
  }

  /** Waits until the agents are known. */
  async ready(): Promise<void> {
    this.hub.want();
    if (this.hub.state === "open") return;
    await new Promise<void>((done, failed) => {
      const heard = () => {
        const { state } = this.hub;
        if (state === "connecting") return;
        this.hub.off("state", heard);
        if (state === "open") done();
        else failed(new Error(vscode.l10n.t("Synapse cannot be reached; the output channel “Synapse” says why.")));
      };
      this.hub.on("state", heard);
      heard();
    });
  }

  fetchRuns(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.hub.ask<{ runs: FlowLine[] }>("GET", "/api/flows").then(
        ({ runs }) => {
          this.runs = runs;
          this.emitter.fire();
        },
        // The next change, or the next hello, asks again.
        () => {},
      );
    }, PAUSE_MS);
  }
}

/** The id of an agent in what a command was given. */
function idIn(about: unknown): string | undefined {
  if (typeof about === "string") return about;
  const row = about as { kind?: string; agent?: Agent } | undefined;
  return row?.kind === "agent" || row?.kind === "option" || row?.kind === "question" ? row.agent?.id : undefined;
}

export function statusWord(status: Agent["status"]): string {
  const words: Record<Agent["status"], string> = {
    starting: vscode.l10n.t("starting"),
    working: vscode.l10n.t("working"),
    waiting: vscode.l10n.t("waiting"),
    stopping: vscode.l10n.t("stopping"),
    idle: vscode.l10n.t("idle"),
    failed: vscode.l10n.t("failed"),
    stopped: vscode.l10n.t("stopped"),
    away: vscode.l10n.t("away"),
  };
  return words[status];
}
