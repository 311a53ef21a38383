// Where the nodes of the mesh stand and how its edges run. Pure.
// Agents stand on rings, many of them in rows, wide enough apart for their names; people stand in a column at the left, programs of others in
// one at the right, so that who works with whom is not lost among who asks.

import type { Edge, Node } from "../types";

export type Spot = { node: Node; x: number; y: number };
/** No label: there is no free place for it, and whoever points at the edge is told. */
export type Arc = { edge: Edge; path: string; width: number; label: Point | null };
/** Dense: small nodes with a name and nothing else. */
export type Drawing = { width: number; height: number; isDense: boolean; spots: Spot[]; arcs: Arc[] };
type Size = { width: number; height: number };
type Point = { x: number; y: number };

export const NODE_RADIUS = { usual: 26, dense: 14 };
const LABEL_RADIUS = 11;
/** Room for a node with its words. */
const CELL: Size = { width: 132, height: 114 };
const DENSE_CELL: Size = { width: 116, height: 66 };
/** More agents than this stand in rows. */
export const DENSE_FROM = 30;
/** Rows are this much longer than there are of them. */
const ROW_SHAPE = 1.1;
/** Rings are so far apart. */
const RING = 128;
/** So many still fit on a single ring without making the drawing too large to read. */
const ONE_RING = 14;
const MARGIN = 40;
/** Wider than high, as windows are. */
const FLATTEN = 0.72;
/** From so many edges on, numbers are told only by pointing. */
const MOST_LABELS = 60;

/** In a fixed order, so that a new edge moves nothing. */
export function draw(nodes: readonly Node[], edges: readonly Edge[]): Drawing {
  const sorted = [...nodes].sort((a, b) => a.handle.localeCompare(b.handle));
  const of = (kind: Node["kind"]) => sorted.filter((node) => node.kind === kind);
  const [people, agents, others] = [of("person"), of("agent"), of("external")];
  const isDense = agents.length > DENSE_FROM;
  const [core, stand] = isDense ? inRows(agents) : onRings(agents);
  const cell = isDense ? DENSE_CELL : CELL;
  const height = Math.max(core.height, people.length * cell.height, others.length * cell.height) + MARGIN;
  const left = people.length > 0 ? CELL.width + 30 : 0;
  const right = others.length > 0 ? CELL.width + 30 : 0;
  const width = left + core.width + right + MARGIN;
  const spots = [
    ...column(people, (MARGIN + CELL.width) / 2, height, cell.height),
    ...stand({ x: left + (MARGIN + core.width) / 2, y: height / 2 }),
    ...column(others, width - (MARGIN + CELL.width) / 2, height, cell.height),
  ];
  const spotOf = new Map(spots.map((spot) => [spot.node.id, spot]));
  const taken: Point[] = [];
  const radius = isDense ? NODE_RADIUS.dense : NODE_RADIUS.usual;
  const arcs = edges.flatMap((edge) => {
    const [from, to] = [spotOf.get(edge.from), spotOf.get(edge.to)];
    return from && to && from !== to ? [arc(edge, from, to, { radius, spots, width, height, taken: edges.length > MOST_LABELS ? null : taken })] : [];
  });
  return { width: Math.round(width), height: Math.round(height), isDense, spots, arcs };
}

/** Gives the room that nodes need, and where they stand around its middle. */
type Layout = [Size, (middle: Point) => Spot[]];

function inRows(nodes: readonly Node[]): Layout {
  const columns = Math.ceil(Math.sqrt(nodes.length * ROW_SHAPE));
  const rows = Math.ceil(nodes.length / columns);
  const size = { width: columns * DENSE_CELL.width, height: rows * DENSE_CELL.height };
  const stand = (middle: Point) =>
    nodes.map((node, index) => ({
      node,
      x: middle.x + ((index % columns) - (columns - 1) / 2) * DENSE_CELL.width,
      y: middle.y + (Math.floor(index / columns) - (rows - 1) / 2) * DENSE_CELL.height,
    }));
  return [size, stand];
}

function onRings(nodes: readonly Node[]): Layout {
  const rings = ringSizes(nodes.length);
  const reach = nodes.length <= 1 ? 0 : ringRadius(rings);
  const size = { width: (2 * reach) / FLATTEN + CELL.width, height: 2 * reach + CELL.height };
  const stand = (middle: Point) => {
    const spots: Spot[] = [];
    rings.forEach((count, ring) => {
      const radius = reach === 0 ? 0 : reach - ring * RING;
      for (const node of nodes.slice(spots.length, spots.length + count)) {
        const index = spots.length - sum(rings.slice(0, ring));
        // The outermost leave the place level with the people at the left free: lines from there run between them.
        const angle = Math.PI + ((index + (ring % 2 === 0 ? 0.5 : 0)) / count) * 2 * Math.PI;
        spots.push({ node, x: middle.x + (radius / FLATTEN) * Math.cos(angle), y: middle.y + radius * Math.sin(angle) });
      }
    });
    return spots;
  };
  return [size, stand];
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

/** How many stand on each ring, the outermost first. */
function ringSizes(count: number): number[] {
  if (count <= ONE_RING) return [count];
  const sizes: number[] = [];
  let left = count;
  for (let ring = 1; left > 0; ring += 1) {
    const fits = Math.max(1, Math.floor((2 * Math.PI * ring * RING) / CELL.width));
    sizes.unshift(Math.min(left, fits));
    left -= fits;
  }
  return sizes;
}

/** Of the outermost ring: those inside need their distance, those on it theirs. */
function ringRadius(rings: readonly number[]): number {
  if (rings.length > 1) return rings.length * RING;
  // Flattened, neighbours at the sides come as near as their height allows.
  const [count = 1] = rings;
  return Math.max(CELL.height, (count * CELL.width) / (2 * Math.PI));
}

function column(nodes: readonly Node[], x: number, height: number, step: number): Spot[] {
  const first = height / 2 - ((nodes.length - 1) * step) / 2;
  return nodes.map((node, index) => ({ node, x, y: first + index * step }));
}

/** So much more than usual a line may bend; the first that crosses least is drawn. */
const BENDS = [1, 0.4, 2, 3, -1.5, -2.5, 4, -3.5, 5, -4.5];
const CURVE = Array.from({ length: 24 }, (_, at) => (at + 1) / 25);

/** Bends to its left, so that there and back are two lines; more, or to its right, rather than run through a node. */
function arc(edge: Edge, from: Spot, to: Spot, ground: Ground): Arc {
  const { radius, spots, taken } = ground;
  const others = spots.filter((spot) => spot !== from && spot !== to);
  const curves = BENDS.map((times) => curveOf(from, to, radius, times));
  const costs = curves.map((curve) => crossings(curve, others, to, ground));
  const { start, top, end } = curves[costs.indexOf(Math.min(...costs))] ?? curveOf(from, to, radius, 1);
  const path = `M${at(start)} Q${at(top)} ${at(end)}`;
  const label = taken && freePlace(start, top, end, radius, spots, taken);
  if (label) taken?.push(label);
  return { edge, path, width: radius === NODE_RADIUS.dense ? Math.min(2.5, thickness(edge.count) / 2) : thickness(edge.count), label };
}

/** What a line is drawn on: the nodes, and the numbers that are written already, if any are. */
type Ground = Size & { radius: number; spots: readonly Spot[]; taken: Point[] | null };
type Curve = { start: Point; top: Point; end: Point };

function curveOf(from: Spot, to: Spot, radius: number, times: number): Curve {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const bend = times * Math.min(46, length * 0.18);
  const top = { x: (from.x + to.x) / 2 - (dy / length) * bend, y: (from.y + to.y) / 2 + (dx / length) * bend };
  return { start: toward(from, top, radius + 4), top, end: toward(to, top, radius + 10) };
}

/** How much of a curve lies outside, on nodes, which is bad, and on their names. */
function crossings(curve: Curve, others: readonly Spot[], to: Spot, { radius, width, height }: Ground): number {
  let cost = 0;
  for (const t of CURVE) {
    const { x, y } = along(curve, t);
    if (x < 0 || y < 0 || x > width || y > height) cost += 300;
    for (const spot of others) {
      if (Math.abs(x - spot.x) > NAME.width || Math.abs(y - spot.y) > NAME.height + radius) continue;
      cost += Math.hypot(x - spot.x, y - spot.y) < radius + 5 ? 100 : isOnName(spot, x, y, radius) ? 1 : 0;
    }
    cost += isOnName(to, x, y, radius) ? 1 : 0;
  }
  return cost;
}

/** Half the width of a name, and how far it reaches below its node. */
const NAME: Size = { width: 42, height: 38 };

function isOnName(spot: Spot, x: number, y: number, radius: number): boolean {
  return Math.abs(x - spot.x) < NAME.width && y > spot.y && y < spot.y + radius + NAME.height;
}

/** The point so far along a curve, from 0 to 1. */
function along({ start, top, end }: Curve, t: number): Point {
  const [a, b, c] = [(1 - t) ** 2, 2 * t * (1 - t), t ** 2];
  return { x: a * start.x + b * top.x + c * end.x, y: a * start.y + b * top.y + c * end.y };
}

/** The first place along the line where a number covers neither a node nor another number. */
function freePlace(start: Point, top: Point, end: Point, radius: number, spots: readonly Spot[], taken: readonly Point[]): Point | null {
  for (const t of [0.5, 0.62, 0.38, 0.72, 0.28, 0.8, 0.2]) {
    const { x, y } = along({ start, top, end }, t);
    const place = { x: round(x), y: round(y) };
    const isFree = taken.every((other) => Math.hypot(other.x - place.x, other.y - place.y) > 2 * LABEL_RADIUS + 2);
    if (isFree && spots.every((spot) => !covers(spot, place, radius))) return place;
  }
  return null;
}

/** A node has its name below it. */
function covers(spot: Spot, place: Point, radius: number): boolean {
  const [dx, dy] = [Math.abs(place.x - spot.x), place.y - spot.y];
  return Math.hypot(dx, dy) < radius + LABEL_RADIUS || (dx < 48 && dy > 0 && dy < radius + 36 + LABEL_RADIUS);
}

function toward(spot: Spot, goal: Point, distance: number): Point {
  const length = Math.hypot(goal.x - spot.x, goal.y - spot.y) || 1;
  return { x: spot.x + ((goal.x - spot.x) / length) * distance, y: spot.y + ((goal.y - spot.y) / length) * distance };
}

/** Grows with the logarithm, so that the busiest pair does not hide the others. */
export function thickness(count: number): number {
  return Math.min(7, 1.5 + Math.log2(Math.max(1, count)));
}

/** How far back the mesh is shown. */
export type Period = "hour" | "day" | "all";
const PERIOD_MS: Record<Period, number> = { hour: 3_600_000, day: 86_400_000, all: Infinity };

/** What happened in a period, and who took part or still runs. `hasPeople`: whether people are shown at all. */
export function within<T extends { nodes: Node[]; edges: Edge[] }>(mesh: T, period: Period, hasPeople: boolean, now: number): T {
  const isPerson = new Set(mesh.nodes.filter((node) => node.kind === "person").map((node) => node.id));
  const isShown = (id: string) => hasPeople || !isPerson.has(id);
  const edges = mesh.edges.filter((edge) => now - Date.parse(edge.last_at) <= PERIOD_MS[period] && isShown(edge.from) && isShown(edge.to));
  const ends = new Set(edges.flatMap((edge) => [edge.from, edge.to]));
  const nodes = mesh.nodes.filter((node) => isShown(node.id) && (ends.has(node.id) || (node.kind === "agent" && node.agent !== null)));
  return { ...mesh, nodes, edges };
}

const round = (n: number) => Math.round(n * 10) / 10;
const at = (point: Point) => `${round(point.x)} ${round(point.y)}`;
