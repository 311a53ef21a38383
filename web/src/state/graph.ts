// Where the nodes of the mesh stand and how its edges run. Pure.

import type { Edge, Node } from "../types";

export type Spot = { node: Node; x: number; y: number };
export type Arc = { edge: Edge; path: string; width: number; label: { x: number; y: number } };
export type Drawing = { width: number; height: number; spots: Spot[]; arcs: Arc[] };

const NODE_RADIUS = 26;
const MARGIN = 74;

/** Nodes on an ellipse, in a fixed order, so that a new edge moves nothing. */
export function draw(nodes: readonly Node[], edges: readonly Edge[], width = 720): Drawing {
  const sorted = [...nodes].sort((a, b) => a.kind.localeCompare(b.kind) || a.handle.localeCompare(b.handle));
  const height = Math.round(Math.min(460, 210 + sorted.length * 26));
  const [cx, cy] = [width / 2, height / 2];
  const [rx, ry] = [width / 2 - MARGIN - NODE_RADIUS, height / 2 - MARGIN];
  const spots = sorted.map((node, index) => {
    if (sorted.length === 1) return { node, x: cx, y: cy };
    const angle = Math.PI + (index / sorted.length) * 2 * Math.PI;
    return { node, x: cx + rx * Math.cos(angle), y: cy + ry * Math.sin(angle) };
  });
  const spotOf = new Map(spots.map((spot) => [spot.node.id, spot]));
  const arcs = edges.flatMap((edge) => {
    const [from, to] = [spotOf.get(edge.from), spotOf.get(edge.to)];
    return from && to && from !== to ? [arc(edge, from, to)] : [];
  });
  return { width, height, spots, arcs };
}

/** Bends to its left, so that there and back are two lines. */
function arc(edge: Edge, from: Spot, to: Spot): Arc {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const bend = Math.min(46, length * 0.18);
  const [nx, ny] = [-dy / length, dx / length];
  const [mx, my] = [(from.x + to.x) / 2 + nx * bend, (from.y + to.y) / 2 + ny * bend];
  const start = toward(from, mx, my, NODE_RADIUS + 4);
  const end = toward(to, mx, my, NODE_RADIUS + 10);
  const path = `M${at(start)} Q${round(mx)} ${round(my)} ${at(end)}`;
  const label = { x: round((start.x + end.x) / 4 + mx / 2), y: round((start.y + end.y) / 4 + my / 2) };
  return { edge, path, width: thickness(edge.count), label };
}

function toward(spot: Spot, x: number, y: number, distance: number): { x: number; y: number } {
  const length = Math.hypot(x - spot.x, y - spot.y) || 1;
  return { x: spot.x + ((x - spot.x) / length) * distance, y: spot.y + ((y - spot.y) / length) * distance };
}

/** Grows with the logarithm, so that the busiest pair does not hide the others. */
export function thickness(count: number): number {
  return Math.min(7, 1.5 + Math.log2(Math.max(1, count)));
}

const round = (n: number) => Math.round(n * 10) / 10;
const at = (point: { x: number; y: number }) => `${round(point.x)} ${round(point.y)}`;
