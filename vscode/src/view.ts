// The view in the activity bar: rows with their pictures and words, and the badge.

import * as vscode from "vscode";
import { questionOf } from "../../web/src/state/prompt-answer";
import type { Agent, Status } from "../../web/src/types";
import { statusWord, type Desk } from "./desk";
import { aboutOf, idOf, isBusy, rowsBelow, topRows, waitingCount, type Row } from "./rows";

const ICONS: Record<Status, [icon: string, color: string]> = {
  starting: ["circle-outline", "disabledForeground"],
  working: ["play-circle", "charts.blue"],
  waiting: ["question", "charts.yellow"],
  stopping: ["debug-stop", "charts.orange"],
  idle: ["pass", "charts.green"],
  failed: ["error", "charts.red"],
  stopped: ["circle-slash", "disabledForeground"],
  away: ["debug-disconnect", "disabledForeground"],
};

export class AgentsView implements vscode.TreeDataProvider<Row> {
  private readonly emitter = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.emitter.event;
  private readonly view: vscode.TreeView<Row>;

  constructor(private readonly desk: Desk) {
    this.view = vscode.window.createTreeView("synapse.agents", { treeDataProvider: this });
    this.view.onDidChangeVisibility(({ visible }) => {
      if (visible) desk.hub.want();
    });
    if (this.view.visible) desk.hub.want();
    desk.onChange(() => this.refresh());
    this.refresh();
  }

  dispose(): void {
    this.view.dispose();
  }

  getChildren(row?: Row): Row[] {
    return row ? rowsBelow(row) : topRows(this.desk.agents, this.desk.runs);
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const item = itemOf(row);
    item.id = idOf(row);
    return item;
  }

  private refresh(): void {
    this.emitter.fire();
    const value = waitingCount(this.desk.agents, this.desk.runs);
    this.view.badge = value === 0 ? undefined : { value, tooltip: vscode.l10n.t("{0} waiting for you", value) };
    const isOld = this.desk.hub.state === "connecting" && this.desk.hub.agents.length > 0;
    this.view.message = isOld ? vscode.l10n.t("Connecting again…") : "";
  }
}

function itemOf(row: Row): vscode.TreeItem {
  const { Expanded, None } = vscode.TreeItemCollapsibleState;
  switch (row.kind) {
    case "worktree": {
      const item = withIcon(new vscode.TreeItem(row.name, Expanded), row.group.branch === null ? "folder" : "git-branch");
      item.description = [row.group.machine, row.repository, row.group.branch].filter(Boolean).join(" · ");
      item.tooltip = row.group.dir;
      item.contextValue = row.group.machine ? "worktree-elsewhere" : "worktree";
      return item;
    }
    case "agent":
      return agentItem(row.agent);
    case "question": {
      const item = withIcon(new vscode.TreeItem(questionOf(row.prompt) || vscode.l10n.t("It asks something"), None), "comment");
      item.description = aboutOf(row.prompt);
      item.tooltip = [row.prompt.question, row.prompt.detail].filter(Boolean).join("\n\n");
      item.command = openOf(row.agent);
      return item;
    }
    case "option": {
      const item = withIcon(new vscode.TreeItem(row.value === null ? vscode.l10n.t("Type an answer…") : row.label, None), row.value === null ? "edit" : "reply");
      item.command = chooseOf(row);
      return item;
    }
    case "flows":
      return withIcon(new vscode.TreeItem(vscode.l10n.t("Flows"), Expanded), "run-all");
    case "run": {
      const isAsking = row.run.asks.length > 0;
      const item = withIcon(new vscode.TreeItem(row.run.name, isAsking ? Expanded : None), isAsking ? "question" : "play-circle");
      item.description = isAsking ? statusWord("waiting") : statusWord(row.run.state === "stopping" ? "stopping" : "working");
      item.contextValue = "run";
      item.command = { command: "synapse.showFlow", title: vscode.l10n.t("Show"), arguments: [row] };
      return item;
    }
    case "run-question":
      return withIcon(new vscode.TreeItem(row.ask.question, None), "comment");
    case "run-option": {
      const item = withIcon(new vscode.TreeItem(row.value, None), "reply");
      item.command = chooseOf(row);
      return item;
    }
  }
}

function agentItem(agent: Agent): vscode.TreeItem {
  const { Expanded, None } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(agent.handle, agent.prompt ? Expanded : None);
  const word = statusWord(agent.status);
  const queue = agent.queue > 0 ? vscode.l10n.t("{0} queued", agent.queue) : "";
  item.description = [word, agent.handle === agent.profile ? "" : agent.profile, queue].filter(Boolean).join(" · ");
  const [icon, color] = ICONS[agent.status];
  item.iconPath = new vscode.ThemeIcon(icon, new vscode.ThemeColor(color));
  item.tooltip = [`${agent.handle} (${agent.profile}): ${word}`, agent.evidence, agent.held, agent.dir].filter(Boolean).join("\n");
  item.accessibilityInformation = { label: `${agent.handle}, ${word}` };
  item.contextValue = isBusy(agent) ? "agent-running" : "agent-resting";
  item.command = openOf(agent);
  return item;
}

const openOf = (agent: Agent): vscode.Command => ({ command: "synapse.openConversation", title: vscode.l10n.t("Open conversation"), arguments: [agent.id] });
const chooseOf = (row: Row): vscode.Command => ({ command: "synapse.choose", title: vscode.l10n.t("Choose this answer"), arguments: [row] });

function withIcon(item: vscode.TreeItem, icon: string): vscode.TreeItem {
  item.iconPath = new vscode.ThemeIcon(icon);
  return item;
}
