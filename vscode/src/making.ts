// New agents, worktrees and runs of flows, asked for step by step. Escape at any step makes nothing; a conversation that
// opens meanwhile and takes the focus does not.

import * as vscode from "vscode";
import type { KnownFlow } from "../../web/src/flows/shapes";
import type { Agent, Profile, Repository, Worktree } from "../../web/src/types";
import type { Desk } from "./desk";
import { askText, busy, inform, warn } from "./notices";
import type { Row } from "./rows";

export class Making {
  constructor(private readonly desk: Desk) {}

  async agent(about: unknown): Promise<void> {
    await this.desk.ready();
    const row = about as Row | undefined;
    const profile = await this.profile(vscode.l10n.t("Which program?"), false);
    if (profile === undefined) return;
    const worktree = row?.kind === "worktree" ? row.group.worktree : (await this.worktree(vscode.l10n.t("Where does it work?")))?.id;
    if (worktree === undefined) return;
    const name = await askText({ prompt: vscode.l10n.t("Its name; empty for {0}", profile) });
    if (name === undefined) return;
    const wish = { profile, worktree, ...(name !== "" && { name }) };
    const { agent } = await busy(vscode.l10n.t("Starting {0}…", name || profile), () => this.desk.hub.ask<{ agent: Agent }>("POST", "/api/agents", wish));
    await vscode.commands.executeCommand("synapse.openConversation", agent.id);
  }

  async newWorktree(): Promise<void> {
    await this.desk.ready();
    const repositories = (await this.repositories()).filter((one) => one.git);
    const repository = await pick(repositories, vscode.l10n.t("Of which repository?"), (one) => ({ label: one.name, description: one.path }));
    if (!repository) return;
    const branch = await askText({
      prompt: vscode.l10n.t("The branch; one that does not exist is made"),
      validateInput: (text) => (/^\S+$/.test(text) ? null : vscode.l10n.t("A branch is one word, such as fix/login")),
    });
    if (branch === undefined) return;
    const isThere = repository.branches.includes(branch);
    const bases = [...new Set([repository.default_branch, ...repository.branches])].filter((one) => one !== null);
    const base = isThere ? undefined : await vscode.window.showQuickPick(bases, { placeHolder: vscode.l10n.t("Made from which branch?"), ignoreFocusOut: true });
    if (base === undefined && !isThere) return;
    const profile = await this.profile(vscode.l10n.t("Which agent begins there?"), true);
    if (profile === undefined) return;
    const wish = { repository: repository.id, branch, ...(base !== undefined && { base }), ...(profile !== "" && { agent: { profile } }) };
    const made = await busy(vscode.l10n.t("Making {0}…", branch), () =>
      this.desk.hub.ask<{ worktree: Worktree; agent: Agent | null; agent_error?: string }>("POST", "/api/worktrees", wish),
    );
    if (made.agent_error !== undefined) void warn(vscode.l10n.t("The worktree is there, but no agent: {0}", made.agent_error));
    if (made.agent) await vscode.commands.executeCommand("synapse.openConversation", made.agent.id);
    const open = vscode.l10n.t("Open in a new window");
    const picked = await inform(vscode.l10n.t("{0} is at {1}.", branch, made.worktree.path), open);
    if (picked === open) await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.file(made.worktree.path), { forceNewWindow: true });
  }

  async flow(): Promise<void> {
    await this.desk.ready();
    const { flows } = await this.desk.hub.ask<{ flows: KnownFlow[] }>("GET", "/api/flows");
    const usable = flows.filter((flow) => flow.trusted && flow.problem === null);
    const flow = await pick(usable, vscode.l10n.t("Which flow?"), (one) => ({ label: one.name, description: one.source, detail: one.about ?? "" }));
    if (!flow) return;
    const inputs: Record<string, unknown> = {};
    for (const input of flow.inputs) {
      const usual = input.default === null || input.default === undefined ? "" : String(input.default);
      const text = await askText({ title: flow.name, prompt: input.about ?? input.name, value: usual });
      if (text === undefined) return;
      if (text !== "") inputs[input.name] = text;
    }
    const place = await this.worktree(vscode.l10n.t("Where does it run?"));
    if (!place) return;
    await this.desk.hub.ask<{ id: string }>("POST", "/api/flows", { name: flow.name, inputs, worktree: place.id });
    this.desk.fetchRuns();
    void inform(vscode.l10n.t("{0} runs; the view shows what it asks.", flow.name));
  }

  async stopFlow({ run }: Extract<Row, { kind: "run" }>): Promise<void> {
    const path = `/api/flows/${encodeURIComponent(run.id)}/stop`;
    const { confirmed } = await busy(vscode.l10n.t("Stopping {0}…", run.name), () => this.desk.hub.ask<{ confirmed: boolean }>("POST", path));
    this.desk.fetchRuns();
    if (confirmed) void inform(vscode.l10n.t("{0} stopped.", run.name));
    else void warn(vscode.l10n.t("{0} is still running.", run.name));
  }

  /** `""`: nobody, where that is offered. */
  private async profile(placeHolder: string, isOptional: boolean): Promise<string | undefined> {
    const { profiles } = await this.desk.hub.ask<{ profiles: Profile[] }>("GET", "/api/profiles");
    const items = profiles.filter((one) => one.installed).map((one) => ({ label: one.name, description: one.command.join(" "), value: one.name }));
    const nobody = { label: vscode.l10n.t("No agent"), description: "", value: "" };
    return (await vscode.window.showQuickPick(isOptional ? [nobody, ...items] : items, { placeHolder, ignoreFocusOut: true }))?.value;
  }

  /** Those of this window's folders come first. */
  private async worktree(placeHolder: string): Promise<Worktree | undefined> {
    const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
    const isHere = (tree: Worktree) => folders.some((folder) => folder === tree.path || folder.startsWith(`${tree.path}/`));
    const trees = (await this.repositories()).flatMap((one) => one.worktrees).filter((tree) => !tree.missing);
    const sorted = [...trees.filter(isHere), ...trees.filter((tree) => !isHere(tree))];
    return pick(sorted, placeHolder, (tree) => ({ label: tree.name, description: [tree.branch, tree.path].filter(Boolean).join(" · ") }));
  }

  private async repositories(): Promise<Repository[]> {
    return (await this.desk.hub.ask<{ repositories: Repository[] }>("GET", "/api/worktrees")).repositories;
  }
}

async function pick<T>(values: readonly T[], placeHolder: string, look: (value: T) => vscode.QuickPickItem): Promise<T | undefined> {
  const items = values.map((value) => ({ ...look(value), value }));
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true, ignoreFocusOut: true }))?.value;
}
