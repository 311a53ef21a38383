// What the hub tells of flows and their runs (docs/hub-api.md).

import type { FlowAsk } from "../state/flows";

export type RunState = "running" | "stopping" | "done" | "failed" | "stopped";
export type StepState = "waiting" | "asking" | "running" | "done" | "failed" | "skipped" | "refused";

export type FlowItem = {
  label: string;
  state: StepState;
  attempt: number;
  agent: string | null;
  agent_id: string | null;
  task: string | null;
  dir: string | null;
  branch: string | null;
  question: string | null;
  why: string | null;
  began_at: number | null;
  ended_at: number | null;
};

export type FlowStep = {
  name: string;
  kind: "agent" | "run" | "shell" | "gate" | "all";
  state: StepState;
  round: number;
  needs: string[];
  uses: string[];
  who: string;
  why: string | null;
  began_at: number | null;
  ended_at: number | null;
  items: FlowItem[];
};

export type FlowRun = {
  id: string;
  name: string;
  state: RunState;
  why: string | null;
  dir: string;
  by: string;
  simulate: boolean;
  inputs: Record<string, unknown>;
  started_at: number;
  updated_at: number;
  turns: number;
  tokens: number;
  steps: FlowStep[];
  asks: FlowAsk[];
};

export type FlowInput = { name: string; type: string; default: unknown; about: string | null };
export type KnownFlow = { name: string; source: string; trusted: boolean; problem: string | null; about: string | null; inputs: FlowInput[] };
