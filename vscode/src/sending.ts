// Sends a selection or a file to an agent, with its path and lines. One line asks for whom and what: `@agent words`.

import * as vscode from "vscode";
import type { Agent, Task } from "../../web/src/types";
import { statusWord, type Desk } from "./desk";
import { excerptText, fileText, messageOf, pathFor } from "./excerpt";
import { inform, tell } from "./notices";
import { offers, readLine, usualRecipient } from "./recipient";

const LAST = "synapse.lastRecipient";

/** What is sent along, told for this agent. */
type Pieces = (agent: Agent) => string[];
type Item = vscode.QuickPickItem & { agent?: Agent };

export class Sending {
  constructor(
    private readonly desk: Desk,
    private readonly memory: vscode.Memento,
  ) {}

  async selection(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const selections = editor?.selections.filter((one) => !one.isEmpty) ?? [];
    if (!editor || selections.length === 0) {
      void inform(vscode.l10n.t("Nothing is selected."));
      return;
    }
    const { document } = editor;
    const pieces: Pieces = (agent) =>
      selections.map((one) => {
        // A selection that ends before the first letter of a line has nothing of that line.
        const to = one.end.character === 0 && one.end.line > one.start.line ? one.end.line : one.end.line + 1;
        return excerptText({ path: pathOf(document, agent), language: document.languageId, from: one.start.line + 1, to, text: document.getText(one) });
      });
    await this.ask(document, pieces);
  }

  async file(uri?: vscode.Uri): Promise<void> {
    const document = uri ? await vscode.workspace.openTextDocument(uri) : vscode.window.activeTextEditor?.document;
    if (!document) {
      void inform(vscode.l10n.t("No file is open."));
      return;
    }
    const { languageId: language, lineCount: lines } = document;
    const pieces: Pieces = (agent) => {
      const isThere = document.uri.scheme === "file" && !document.isDirty && !agent.machine;
      return [fileText({ path: pathOf(document, agent), language, lines, text: isThere ? null : document.getText() })];
    };
    await this.ask(document, pieces);
  }

  /** An input with completion: names of agents until one is named, then the words. */
  private async ask(document: vscode.TextDocument, pieces: Pieces): Promise<void> {
    await this.desk.ready();
    const agents = this.desk.agents;
    const usual = usualRecipient(agents, nameOf(document), this.memory.get<string>(LAST));
    if (!usual) {
      void inform(vscode.l10n.t("No agent is running; “New agent…” starts one."));
      return;
    }
    const input = vscode.window.createQuickPick<Item>();
    input.title = vscode.l10n.t("Send to an agent");
    input.placeholder = vscode.l10n.t("@agent what is to be done");
    input.value = `@${usual.handle} `;
    input.ignoreFocusOut = true;
    const handles = agents.map((agent) => agent.handle);
    const read = () => readLine(input.value, handles, usual.handle);
    const refresh = () => {
      const line = read();
      if (line.step === "naming") input.items = offers(agents, line.word).map(offerOf);
      else if (line.step === "writing") input.items = [{ label: vscode.l10n.t("Send to @{0}", line.handle), alwaysShow: true }];
      else input.items = [{ label: vscode.l10n.t("There is no agent @{0}", line.handle), alwaysShow: true }];
    };
    input.onDidChangeValue(refresh);
    input.onDidHide(() => input.dispose());
    input.onDidAccept(() => {
      const line = read();
      const [picked] = input.activeItems;
      if (line.step === "naming" && picked?.agent) {
        input.value = `@${picked.agent.handle} `;
        refresh();
      } else if (line.step === "writing") {
        input.hide();
        const agent = agents.find((one) => one.handle === line.handle);
        if (agent) this.send(agent, messageOf(line.words, pieces(agent))).catch(tell);
      }
    });
    refresh();
    input.show();
  }

  private async send(agent: Agent, text: string): Promise<void> {
    await this.desk.hub.ask<{ task: Task }>("POST", `/api/agents/${agent.id}/send`, { text, mode: "queue" });
    await this.memory.update(LAST, agent.handle);
    const open = vscode.l10n.t("Open conversation");
    const picked = await inform(vscode.l10n.t("Sent to @{0}.", agent.handle), open);
    if (picked === open) await vscode.commands.executeCommand("synapse.openConversation", agent.id);
  }
}

const offerOf = (agent: Agent): Item => ({ label: `@${agent.handle}`, description: `${statusWord(agent.status)} · ${agent.dir}`, alwaysShow: true, agent });

/** On another machine, only the path within the project means anything. */
function pathOf(document: vscode.TextDocument, agent: Agent): string {
  return !agent.machine ? pathFor(agent.dir, nameOf(document)) : vscode.workspace.asRelativePath(document.uri);
}

/** The path of a file on this machine; of anything else its address. */
function nameOf(document: vscode.TextDocument): string {
  if (document.isUntitled) return document.fileName;
  return document.uri.scheme === "file" ? document.uri.fsPath : document.uri.toString();
}
