// The mesh as a drawing: nodes are agents, lines are tasks between them, thicker where there were more.

import { draw } from "../state/graph";
import { agentUrl } from "../state/route";
import { agentById } from "../state/world";
import { t } from "../text";
import type { Mesh, Node } from "../types";

type Props = { mesh: Mesh; picked: string | null; onPick: (edge: string | null) => void };

export function MeshGraph({ mesh, picked, onPick }: Props) {
  const drawing = draw(mesh.nodes, mesh.edges);
  const name = new Map(mesh.nodes.map((node) => [node.id, node.handle.replace(/^@/, "")]));
  return (
    <div class="graph-box">
      <svg class="graph" viewBox={`0 0 ${drawing.width} ${drawing.height}`} role="group" aria-label={t("mesh.graphLabel")}>
        <defs>
          <marker id="arrow" viewBox="0 0 10 10" refX="7" refY="5" markerWidth="11" markerHeight="11" markerUnits="userSpaceOnUse" orient="auto-start-reverse">
            <path d="M0 1 9 5 0 9z" class="arrow" />
          </marker>
        </defs>
        {drawing.arcs.map((arc) => {
          const id = `${arc.edge.from} ${arc.edge.to}`;
          const label = t("mesh.edge", { from: name.get(arc.edge.from) ?? "", to: name.get(arc.edge.to) ?? "", n: arc.edge.count });
          const pick = () => onPick(picked === id ? null : id);
          return (
            <g
              key={id}
              class={`edge${picked === id ? " is-picked" : ""}${arc.edge.live > 0 ? " is-live" : ""}`}
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
              <circle cx={arc.label.x} cy={arc.label.y} r="11" class="edge-count-back" />
              <text x={arc.label.x} y={arc.label.y + 4} class="edge-count">
                {arc.edge.count}
              </text>
            </g>
          );
        })}
        {drawing.spots.map((spot) => (
          <NodeMark key={spot.node.id} node={spot.node} x={spot.x} y={spot.y} />
        ))}
      </svg>
    </div>
  );
}

function NodeMark({ node, x, y }: { node: Node; x: number; y: number }) {
  const agent = node.agent === null ? undefined : agentById(node.agent);
  const status = agent?.status ?? node.status;
  const handle = node.handle.replace(/^@/, "");
  const word = status ? t(`status.${status}`) : t(`node.${node.kind}`);
  const mark = (
    <g class={`node node-${node.kind}${status ? ` status-${status}` : ""}`} transform={`translate(${x} ${y})`}>
      <circle r="26" />
      <text class="node-letter" y="6" aria-hidden="true">
        {handle.slice(0, 2).toUpperCase()}
      </text>
      <text class="node-name" y="44">
        {handle}
      </text>
      <text class="node-word" y="60">
        {word}
      </text>
    </g>
  );
  // One that is gone is found by its name.
  return node.kind === "agent" ? <a href={agentUrl(agent?.id ?? handle)}>{mark}</a> : mark;
}
