// One item in the status bar: how many wait, how many work. A click goes to who waits longest, else to the view.

import * as vscode from "vscode";
import type { Desk } from "./desk";
import { waitingCount } from "./rows";

export class StatusBar {
  private readonly item = vscode.window.createStatusBarItem("synapse.status", vscode.StatusBarAlignment.Left, 10);

  constructor(private readonly desk: Desk) {
    this.item.name = "Synapse";
    desk.onChange(() => this.refresh());
    this.refresh();
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }

  private refresh(): void {
    const { agents, runs, hub } = this.desk;
    const waiting = waitingCount(agents, runs);
    const working = agents.filter((agent) => agent.status === "working").length;
    const parts = [waiting > 0 ? vscode.l10n.t("{0} waiting", waiting) : "", working > 0 ? vscode.l10n.t("{0} working", working) : ""].filter(Boolean);
    const isOpen = hub.state === "open";
    this.item.text = `${waiting > 0 ? "$(question)" : "$(hubot)"} ${isOpen && parts.length > 0 ? parts.join(" · ") : "Synapse"}`;
    this.item.tooltip = isOpen ? vscode.l10n.t("Synapse: {0} agents", agents.length) : vscode.l10n.t("Synapse: not connected");
    this.item.backgroundColor = waiting > 0 ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.item.command = waiting > 0 ? "synapse.nextWaiting" : "synapse.agents.focus";
  }
}
