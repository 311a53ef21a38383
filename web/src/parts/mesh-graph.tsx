// The mesh as a drawing: nodes are agents, lines are tasks between them, thicker where there were more.

import { useMemo, useState } from "preact/hooks";
import { draw, NODE_RADIUS } from "../state/graph";
import { agentUrl } from "../state/route";
import { agentById } from "../state/world";
import { t, tn } from "../text";
import type { Mesh, Node } from "../types";
import { Icon } from "./icon";

type Props = { mesh: Mesh; picked: string | null; onPick: (edge: string | null) => void };

const ZOOMS = [1, 1.5, 2, 3, 4];

export function MeshGraph({ mesh, picked, onPick }: Props) {
  const [step, setStep] = useState(0);
  /** The node that is pointed at: its lines stand out. */
  const [pointed, setPointed] = useState<string | null>(null);
  const zoom = ZOOMS[step] ?? 1;
  const drawing = useMemo(() => draw(mesh.nodes, mesh.edges), [mesh]);
  const toStep = (next: number) => setStep(Math.max(0, Math.min(ZOOMS.length - 1, next)));
  const onWheel = (event: WheelEvent) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    toStep(step + (event.deltaY < 0 ? 1 : -1));
  };
  const people = new Set(mesh.nodes.filter((node) => node.kind === "person").map((node) => node.id));
  const name = new Map(mesh.nodes.map((node) => [node.id, node.handle.replace(/^@/, "")]));
  return (
    <div class="graph-frame">
      <div class="graph-zoom" role="group" aria-label={t("mesh.zoom")}>
        <button type="button" class="icon-button small" aria-label={t("mesh.zoomIn")} disabled={step === ZOOMS.length - 1} onClick={() => toStep(step + 1)}>
          <Icon name="plus" />
        </button>
        <button type="button" class="icon-button small" aria-label={t("mesh.zoomOut")} disabled={step === 0} onClick={() => toStep(step - 1)}>
          <Icon name="minus" />
        </button>
      </div>
      <div class="graph-box" tabIndex={0} role="region" aria-label={t("mesh.graphLabel")} onWheel={onWheel}>
        <svg class={`graph${drawing.isDense ? " is-dense" : ""}${zoom > 1 ? " is-zoomed" : ""}`} style={{ width: `${zoom * 100}%` }} viewBox={`0 0 ${drawing.width} ${drawing.height}`} role="group" aria-label={t("mesh.graphLabel")}>
          <defs>
            <marker id="arrow" viewBox="0 0 10 10" refX="7" refY="5" markerWidth="11" markerHeight="11" markerUnits="userSpaceOnUse" orient="auto-start-reverse">
              <path d="M0 1 9 5 0 9z" class="arrow" />
            </marker>
          </defs>
          {drawing.arcs.map((arc) => {
            const id = `${arc.edge.from} ${arc.edge.to}`;
            const label = tn("mesh.edge", arc.edge.count, { from: name.get(arc.edge.from) ?? "", to: name.get(arc.edge.to) ?? "" });
            const pick = () => onPick(picked === id ? null : id);
            return (
              <g
                key={id}
                class={`edge${people.has(arc.edge.from) || people.has(arc.edge.to) ? " of-person" : ""}${picked === id ? " is-picked" : ""}${arc.edge.live > 0 ? " is-live" : ""}${pointed !== null && arc.edge.from !== pointed && arc.edge.to !== pointed ? " is-faded" : ""}`}
                role="button"
                tabIndex={0}
                aria-label={label}
                aria-pressed={picked === id}
                onClick={pick}
                onKeyDown={(event) => {
                  if (event.key !== "Enter" && event.key !== " ") return;
                  event.preventDefault();
                  pick();
                }}
              >
                <title>{label}</title>
                <path d={arc.path} class="edge-area" />
                <path d={arc.path} class="edge-line" stroke-width={arc.width} marker-end="url(#arrow)" />
                {arc.label && (
                  <>
                    <circle cx={arc.label.x} cy={arc.label.y} r="11" class="edge-count-back" />
                    <text x={arc.label.x} y={arc.label.y + 4} class="edge-count">
                      {arc.edge.count}
                    </text>
                  </>
                )}
              </g>
            );
          })}
          {drawing.spots.map((spot) => (
            <NodeMark key={spot.node.id} node={spot.node} x={spot.x} y={spot.y} isDense={drawing.isDense} onPoint={setPointed} />
          ))}
        </svg>
      </div>
    </div>
  );
}

function NodeMark({ node, x, y, isDense, onPoint }: { node: Node; x: number; y: number; isDense: boolean; onPoint: (node: string | null) => void }) {
  const agent = node.agent === null ? undefined : agentById(node.agent);
  const status = agent?.status ?? node.status;
  const handle = node.handle.replace(/^@/, "");
  const isGone = node.kind === "agent" && !agent;
  const radius = isDense ? NODE_RADIUS.dense : NODE_RADIUS.usual;
  const word = isGone ? t("status.stopped") : status ? t(`status.${status}`) : t(`node.${node.kind}`);
  const mark = (
    <g class={`node node-${node.kind}${isGone ? " is-gone" : ""}${status ? ` status-${status}` : ""}`} transform={`translate(${x} ${y})`} onPointerEnter={() => onPoint(node.id)} onPointerLeave={() => onPoint(null)} onFocusIn={() => onPoint(node.id)} onFocusOut={() => onPoint(null)}>
      <title>{`${handle} · ${word}`}</title>
      <circle r={radius} />
      <text class="node-letter" y={isDense ? 4 : 6} aria-hidden="true">
        {handle.slice(0, 2).toUpperCase()}
      </text>
      <text class="node-name" y={radius + 18}>
        {shortened(handle)}
      </text>
      {!isDense && (
        <text class="node-word" y={radius + 34}>
          {word}
        </text>
      )}
    </g>
  );
  // One that is gone is found by its name.
  return node.kind === "agent" ? <a href={agentUrl(agent?.id ?? handle)}>{mark}</a> : mark;
}

/** As much of a name as there is room for; the whole is told by pointing at it. */
const MOST_LETTERS = 14;
const shortened = (name: string) => (name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS - 1)}…` : name);
