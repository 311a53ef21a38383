// Runs of flows that wait for a person, and when to fetch the others again. The room itself is loaded when it is shown.

import { signal } from "@preact/signals";
import { ask } from "../api";

export type FlowAsk = { step: string; id: string; question: string; options: string[]; since: number };
export type FlowLine = { id: string; name: string; state: string; dir: string; by: string; asks: FlowAsk[]; started_at: number; updated_at: number };

/** Rises when something happens to a run. */
export const flowsVersion = signal(0);
export const flowLines = signal<readonly FlowLine[]>([]);
export const flowAsks = () => flowLines.value.flatMap((run) => run.asks.map((one) => ({ run, ask: one })));

const PAUSE_MS = 200;
let timer: ReturnType<typeof setTimeout> | null = null;

/** Many things may happen at once; they are fetched once. */
export function fetchFlows(): void {
  timer ??= setTimeout(() => {
    timer = null;
    flowsVersion.value += 1;
    ask<{ runs: FlowLine[] }>("GET", "/api/flows").then(
      ({ runs }) => (flowLines.value = runs),
      // The next change, or the next hello, asks again.
      () => {},
    );
  }, PAUSE_MS);
}
