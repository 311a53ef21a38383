// Where the steps of a run stand: a column for each rank, from what waits for nobody to what waits for all. Pure.

import type { FlowStep } from "./shapes";

export type Spot = { step: FlowStep; x: number; y: number };
export type Wire = { from: string; to: string; path: string; isData: boolean };
export type Drawing = { spots: Spot[]; wires: Wire[]; width: number; height: number };

export const NODE = { width: 148, height: 52 };
const GAP = { x: 56, y: 22 };
const MARGIN = 16;

export function layOut(steps: readonly FlowStep[]): Drawing {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const ranks = new Map<string, number>();
  const rankOf = (step: FlowStep, way: readonly string[]): number => {
    const known = ranks.get(step.name);
    if (known !== undefined) return known;
    if (way.includes(step.name)) return 0;
    const before = step.needs.flatMap((name) => byName.get(name) ?? []);
    const rank = before.reduce((most, one) => Math.max(most, rankOf(one, [...way, step.name]) + 1), 0);
    ranks.set(step.name, rank);
    return rank;
  };
  const columns: FlowStep[][] = [];
  for (const step of steps) {
    const rank = rankOf(step, []);
    (columns[rank] ??= []).push(step);
  }
  const tallest = Math.max(1, ...columns.map((column) => column?.length ?? 0));
  const height = MARGIN * 2 + tallest * NODE.height + (tallest - 1) * GAP.y;
  const spots: Spot[] = [];
  columns.forEach((column, rank) => {
    const own = column.length * NODE.height + (column.length - 1) * GAP.y;
    column.forEach((step, row) => {
      spots.push({ step, x: MARGIN + rank * (NODE.width + GAP.x), y: (height - own) / 2 + row * (NODE.height + GAP.y) });
    });
  });
  const places = new Map(spots.map((spot) => [spot.step.name, spot]));
  const wires = steps.flatMap((step) => {
    const uses = new Set(step.uses);
    // An order that follows from another line is not drawn.
    const needs = step.needs.filter((name) => uses.has(name) || !step.needs.some((other) => other !== name && reaches(byName, other, name)));
    return needs.flatMap((name) => wire(places.get(name), places.get(step.name), uses.has(name)));
  });
  return { spots, wires, width: MARGIN * 2 + columns.length * NODE.width + Math.max(0, columns.length - 1) * GAP.x, height };
}

/** Whether one step waits for another, perhaps through others. */
function reaches(steps: ReadonlyMap<string, FlowStep>, from: string, to: string, seen = new Set<string>()): boolean {
  if (seen.has(from)) return false;
  seen.add(from);
  return steps.get(from)?.needs.some((name) => name === to || reaches(steps, name, to, seen)) ?? false;
}

function wire(from: Spot | undefined, to: Spot | undefined, isData: boolean): Wire[] {
  if (!from || !to) return [];
  const [x1, y1, x2, y2] = [from.x + NODE.width, from.y + NODE.height / 2, to.x - 4, to.y + NODE.height / 2];
  const bend = Math.max(24, (x2 - x1) / 2);
  return [{ from: from.step.name, to: to.step.name, isData, path: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` }];
}
