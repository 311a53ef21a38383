// Everything the editor is told to show in words of others. In notifications and above inputs it makes a link of
// `[words](command:…)`, hides where it leads, and runs whatever command it names: no text of an agent may become one.

import * as vscode from "vscode";
import { plain } from "./plain";

type Button = string | vscode.MessageItem;

export const inform = <T extends Button>(text: string, ...buttons: T[]) => show(vscode.window.showInformationMessage, text, buttons);
export const warn = <T extends Button>(text: string, ...buttons: T[]) => show(vscode.window.showWarningMessage, text, buttons);

/** Tells a person what went wrong with something they asked for. */
export function tell(error: unknown): void {
  void show(vscode.window.showErrorMessage, `Synapse: ${error instanceof Error ? error.message : String(error)}`, []);
}

/** Shows that something takes its time. */
export function busy<T>(title: string, act: () => Promise<T>): Thenable<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: plain(title) }, act);
}

/** A line of text; undefined if the person has thought better of it. */
export function askText(options: vscode.InputBoxOptions & { prompt: string }): Thenable<string | undefined> {
  return vscode.window.showInputBox({ ...options, prompt: plain(options.prompt), ignoreFocusOut: true });
}

/** The editor's functions are told apart by the kind of their buttons, which are strings or objects, never both. */
function show<T extends Button>(by: (text: string, ...buttons: string[]) => Thenable<string | undefined>, text: string, buttons: T[]): Thenable<T | undefined> {
  return by(plain(text), ...(buttons as string[])) as Thenable<T | undefined>;
}
