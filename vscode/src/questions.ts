// Questions of agents: as notifications with their options, and answered from wherever they are shown. An answer carries
// the fingerprint of the question that was read, so it can never reach another one.

import * as vscode from "vscode";
import { questionOf } from "../../web/src/state/prompt-answer";
import type { Agent, Delta, Prompt } from "../../web/src/types";
import type { Desk } from "./desk";
import { Refused } from "./hub/hub";
import { askText, inform, tell, warn } from "./notices";
import { aboutOf, optionsOf, type Row } from "./rows";

/** More buttons than this do not fit into a notification. */
const MOST_BUTTONS = 4;
type Option = Extract<Row, { kind: "option" }>;
type Button = { title: string; option: Option | null };

export class Questions {
  constructor(
    private readonly desk: Desk,
    private readonly isViewed: (agent: string) => boolean,
  ) {
    desk.hub.on("applied", (delta) => this.hear(delta));
  }

  /** From the palette, or for one agent: its options in a list. */
  async answer(about: unknown): Promise<void> {
    const agent = await this.desk.pick(about, vscode.l10n.t("Whose question?"), (one) => one.prompt !== null);
    if (!agent) return;
    if (agent.prompt) await this.list(agent, agent.prompt);
    else void inform(vscode.l10n.t("{0} asks nothing.", agent.handle));
  }

  /** A row of the view was chosen. */
  async choose(row: Row): Promise<void> {
    if (row.kind === "option") await this.give(row);
    if (row.kind === "run-option") {
      await this.desk.hub.ask("POST", `/api/flows/${encodeURIComponent(row.run.id)}/answer`, { ask: row.ask.id, answer: row.value });
      this.desk.fetchRuns();
    }
  }

  private hear(delta: Delta): void {
    const wished = vscode.workspace.getConfiguration("synapse").get<string>("notifications", "questions");
    if (wished === "off") return;
    if (delta.type === "agent.removed" && delta.reason === "died" && wished === "all") {
      void warn(vscode.l10n.t("{0} died: {1}", delta.handle, delta.how ?? ""));
    }
    if (delta.type !== "prompt.opened" || this.isViewed(delta.agent)) return;
    const agent = this.desk.agents.find((one) => one.id === delta.agent);
    if (agent) this.notify(agent, delta.prompt).catch(tell);
  }

  private async notify(agent: Agent, prompt: Prompt): Promise<void> {
    const text = [`${agent.handle}: ${questionOf(prompt) || vscode.l10n.t("It asks something")}`, aboutOf(prompt)].filter(Boolean).join(" - ");
    const options = optionsOf(agent, prompt);
    const isMany = options.length > MOST_BUTTONS;
    const buttons: Button[] = (isMany ? options.slice(0, MOST_BUTTONS - 1) : options).map((option) => ({ title: wordsOf(option), option }));
    const more: Button = { title: vscode.l10n.t("More…"), option: null };
    const open: Button = { title: vscode.l10n.t("Open"), option: null };
    const picked = await inform(text, ...buttons, ...(isMany ? [more] : []), open);
    if (picked === open) await vscode.commands.executeCommand("synapse.openConversation", agent.id);
    else if (picked === more) await this.list(agent, prompt);
    else if (picked?.option) await this.give(picked.option);
  }

  private async list(agent: Agent, prompt: Prompt): Promise<void> {
    const items = optionsOf(agent, prompt).map((option) => ({ label: wordsOf(option), option }));
    const placeHolder = [questionOf(prompt), aboutOf(prompt)].filter(Boolean).join(" - ");
    const picked = await vscode.window.showQuickPick(items, { title: agent.handle, placeHolder });
    if (picked) await this.give(picked.option);
  }

  private async give({ agent, prompt, value }: Option): Promise<void> {
    const text = value ?? (await typed(agent, prompt));
    if (text === undefined) return;
    const path = `/api/agents/${agent.id}/prompt/${encodeURIComponent(prompt.id)}/answer`;
    try {
      await this.desk.hub.ask("POST", path, { value: text, fingerprint: prompt.fingerprint });
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "prompt_changed") throw error;
      await this.changed(agent, (error.body["prompt"] as Prompt | null) ?? null);
    }
  }

  private async changed(agent: Agent, next: Prompt | null): Promise<void> {
    if (next === null) {
      void inform(vscode.l10n.t("{0} does not ask that any more.", agent.handle));
      return;
    }
    void warn(vscode.l10n.t("The question of {0} has changed; nothing was answered.", agent.handle));
    await this.notify(agent, next);
  }
}

function typed(agent: Agent, prompt: Prompt): Thenable<string | undefined> {
  return askText({ title: agent.handle, prompt: questionOf(prompt), password: prompt.kind === "password" });
}

function wordsOf(option: Option): string {
  return option.value === null ? vscode.l10n.t("Type an answer…") : option.label;
}
