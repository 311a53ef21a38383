// Stop: what it tells comes from the reading that confirmed it, never from the key that was sent.

import * as vscode from "vscode";
import { press, restingStop, settle, withOneRetry, type Stop } from "../../web/src/state/interrupt";
import type { Agent, Receipt } from "../../web/src/types";
import type { Desk } from "./desk";
import { Refused } from "./hub/hub";
import { inform, warn } from "./notices";

type Level = "stop" | "escape" | "ctrl-c" | "kill";
const RETRY_PAUSE_MS = 400;

export class Stops {
  private readonly presses = new Map<string, Stop>();

  constructor(private readonly desk: Desk) {}

  async stop(agent: Agent): Promise<void> {
    const { stop, verdict } = press(this.presses.get(agent.id) ?? restingStop, Date.now());
    this.presses.set(agent.id, stop);
    if (verdict === "too-many") void inform(vscode.l10n.t("Stop was pressed ten times within a minute; wait a little."));
    if (verdict !== "send") return;
    const isNetwork = (error: unknown) => !(error instanceof Refused);
    const pause = () => new Promise<void>((done) => setTimeout(done, RETRY_PAUSE_MS));
    const receipt = await withOneRetry(() => this.send(agent, "stop"), isNetwork, pause).finally(() => this.presses.set(agent.id, settle(stop, "success")));
    await this.tell(agent, receipt);
  }

  private send(agent: Agent, level: Level): Promise<Receipt> {
    return this.desk.hub.ask("POST", `/api/agents/${agent.id}/interrupt`, { level });
  }

  private async tell(agent: Agent, receipt: Receipt): Promise<void> {
    if (receipt.sent === null) {
      void inform(vscode.l10n.t("Nothing is running: {0} is idle.", agent.handle));
      return;
    }
    if (receipt.confirmed) {
      void inform(vscode.l10n.t("{0} stopped.", agent.handle));
      return;
    }
    const again: { title: string; level: Level }[] = [
      { title: vscode.l10n.t("Escape again"), level: "escape" },
      { title: "Ctrl+C", level: "ctrl-c" },
      { title: vscode.l10n.t("Kill"), level: "kill" },
    ];
    const picked = await warn(vscode.l10n.t("{0} is still running.", agent.handle), ...again);
    if (picked) await this.tell(agent, await this.send(agent, picked.level));
  }
}
