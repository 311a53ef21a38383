// Terminals of agents in the editor's own: `synapse attach`, one for each agent.

import * as vscode from "vscode";
import type { Agent } from "../../web/src/types";
import type { Desk } from "./desk";

export class Terminals {
  private readonly open = new Map<string, vscode.Terminal>();

  constructor(private readonly desk: Desk) {
    vscode.window.onDidCloseTerminal((closed) => {
      for (const [key, terminal] of this.open) if (terminal === closed) this.open.delete(key);
    });
  }

  attach(agent: Agent): void {
    // An agent of another machine has its folder there.
    if (!agent.machine) this.show(agent.id, agent.handle, ["attach", agent.id], agent.dir);
    else this.show(agent.id, agent.handle, ["attach", agent.handle]);
  }

  /** A run of a flow as a live tree. */
  follow(run: { id: string; name: string; dir: string }): void {
    this.show(run.id, run.name, ["flow", "show", run.id, "--follow"], run.dir);
  }

  private show(key: string, name: string, shellArgs: string[], cwd?: string): void {
    let terminal = this.open.get(key);
    if (!terminal || terminal.exitStatus !== undefined) {
      // Not restored with the window: the agent may be gone by then.
      terminal = vscode.window.createTerminal({ name, shellPath: this.desk.hub.binary(), shellArgs, ...(cwd !== undefined && { cwd }), isTransient: true, iconPath: new vscode.ThemeIcon("hubot") });
      this.open.set(key, terminal);
    }
    terminal.show();
  }
}
