// What an agent changed, in the editor's own diff editor: on the left the file as it was before, read from the hub; on
// the right the file on disk, which can be edited.

import * as path from "node:path";
import * as vscode from "vscode";
import { folderName } from "../../web/src/state/agent-order";
import type { Diff, DiffFile } from "../../web/src/types";
import type { Desk } from "./desk";
import { inform } from "./notices";
import type { Row } from "./rows";

const SCHEME = "synapse-before";
/** `path` null: the file was not there, or is not any more. */
type Before = { worktree: string; path: string | null };
type Place = { worktree: string; root: string; name: string };
type Sides = { resource: vscode.Uri; before: vscode.Uri; after: vscode.Uri };

export class Changes implements vscode.TextDocumentContentProvider {
  constructor(private readonly desk: Desk) {}

  register(): vscode.Disposable {
    return vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const before = JSON.parse(uri.query) as Before;
    if (before.path === null) return "";
    const file = before.path.split("/").map(encodeURIComponent).join("/");
    const found = await this.desk.hub.ask<{ text: string | null }>("GET", `/api/worktrees/${before.worktree}/before/${file}?against=base`);
    return found.text ?? vscode.l10n.t("This file is no text.");
  }

  /** Asks which file, unless there is but one; `wanted` names it already. */
  async show(about: unknown, wanted?: string): Promise<void> {
    const place = await this.place(about);
    if (!place) return;
    const diff = await this.desk.hub.ask<Diff>("GET", `/api/worktrees/${place.worktree}/diff?against=base`);
    const isWanted = (file: DiffFile) => wanted !== undefined && path.resolve(place.root, wanted) === path.join(place.root, file.path);
    const only = diff.files.find(isWanted) ?? (diff.files.length === 1 ? diff.files[0] : undefined);
    if (only) return this.open(place, diff, only);
    if (diff.files.length === 0) {
      void inform(vscode.l10n.t("{0} changed nothing against {1}.", place.name, diff.against));
      return;
    }
    const all = { label: vscode.l10n.t("All files"), description: `+${diff.additions} −${diff.deletions}`, file: null };
    const items = diff.files.map((file) => ({ label: file.path, description: `${wordOf(file)} +${file.additions} −${file.deletions}`, file }));
    const picked = await vscode.window.showQuickPick([all, ...items], { placeHolder: vscode.l10n.t("Changes of {0} against {1}", place.name, diff.against) });
    if (picked?.file) await this.open(place, diff, picked.file);
    else if (picked) await this.openAll(place, diff);
  }

  private async open(place: Place, diff: Diff, file: DiffFile): Promise<void> {
    const { before, after } = sides(place, file);
    await vscode.commands.executeCommand("vscode.diff", before, after, `${path.basename(file.path)} (${diff.against} ↔ ${place.name})`, { viewColumn: vscode.ViewColumn.One });
  }

  private async openAll(place: Place, diff: Diff): Promise<void> {
    const list = diff.files.map((file) => sides(place, file)).map(({ resource, before, after }) => [resource, before, after]);
    await vscode.commands.executeCommand("vscode.changes", `${diff.against} ↔ ${place.name}`, list);
  }

  private async place(about: unknown): Promise<Place | undefined> {
    const row = about as Row | undefined;
    const isTree = typeof row === "object" && row.kind === "worktree";
    const agent = isTree ? row.group.agents[0] : await this.desk.pick(about, vscode.l10n.t("Whose changes?"));
    if (!agent) return undefined;
    if (agent.machine) throw new Error(vscode.l10n.t("The files of {0} are on {1}.", agent.handle, agent.machine));
    // An agent may work in a folder below the root of its worktree, which the paths of a diff begin at.
    const { worktree } = await this.desk.hub.ask<{ worktree: { path: string } }>("GET", `/api/worktrees/${agent.worktree}`);
    return { worktree: agent.worktree, root: worktree.path, name: agent.branch ?? folderName(worktree.path) };
  }
}

function sides(place: Place, file: DiffFile): Sides {
  const isNew = file.status === "added" || file.status === "untracked";
  const resource = vscode.Uri.file(path.join(place.root, file.path));
  const old = file.old_path ?? file.path;
  const before = beforeUri(old, { worktree: place.worktree, path: isNew ? null : old });
  const after = file.status === "deleted" ? beforeUri(file.path, { worktree: place.worktree, path: null }) : resource;
  return { resource, before, after };
}

function beforeUri(shown: string, before: Before): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${shown}`, query: JSON.stringify(before) });
}

function wordOf(file: DiffFile): string {
  const words: Record<DiffFile["status"], string> = {
    added: vscode.l10n.t("added"),
    modified: vscode.l10n.t("modified"),
    deleted: vscode.l10n.t("deleted"),
    renamed: vscode.l10n.t("renamed"),
    untracked: vscode.l10n.t("untracked"),
  };
  return words[file.status];
}
