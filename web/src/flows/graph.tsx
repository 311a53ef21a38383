// The steps of a run as a drawing that is alive: nodes by state, solid lines where a value goes along, dashed where only
// the order counts. A node is a button that shows the work of its step.

import { useEffect, useMemo, useRef } from "preact/hooks";
import { layOut, NODE } from "./layout";
import type { FlowStep } from "./shapes";
import { stateWord, w } from "./words";

type Props = { steps: readonly FlowStep[]; picked: string | null; onPick: (name: string) => void };

const MARKS: Record<string, string> = { waiting: "·", asking: "?", running: "●", done: "✓", failed: "✗", skipped: "–", refused: "–" };

export function FlowGraph({ steps, picked, onPick }: Props) {
  const shape = steps.map((step) => `${step.name}:${step.needs.join()}:${step.uses.join()}`).join(";");
  const drawing = useMemo(() => layOut(steps), [shape]);
  const now = new Map(steps.map((step) => [step.name, step]));
  const box = useRef<HTMLDivElement>(null);
  const active = steps.find((step) => step.state === "asking" || step.state === "running")?.name;
  // What goes on is in sight, however long the flow and however small the screen.
  useEffect(() => {
    const spot = drawing.spots.find(({ step }) => step.name === active);
    if (spot && box.current) box.current.scrollLeft = spot.x + NODE.width / 2 - box.current.clientWidth / 2;
  }, [active, drawing]);
  return (
    <div class="graph-box flow-box" ref={box} tabIndex={0} role="region" aria-label={w("graph")}>
      <svg class="flow-graph" width={drawing.width} height={drawing.height} viewBox={`0 0 ${drawing.width} ${drawing.height}`} role="group" aria-label={w("graph")}>
        <defs>
          <marker id="flow-arrow" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto">
            <path d="M0 1 9 5 0 9z" class="arrow" />
          </marker>
        </defs>
        {drawing.wires.map((wire) => (
          <path key={`${wire.from} ${wire.to}`} d={wire.path} class={`flow-wire${wire.isData ? "" : " of-order"}${now.get(wire.from)?.state === "done" ? " is-done" : ""}`} marker-end="url(#flow-arrow)" />
        ))}
        {drawing.spots.map(({ step: { name }, x, y }) => {
          const step = now.get(name);
          if (!step) return null;
          const done = step.items.filter((item) => item.state === "done").length;
          const detail = step.items.length > 1 ? `${done}/${step.items.length}` : (step.items[0]?.agent ?? (step.kind === "agent" ? step.who : step.kind));
          return (
            <g
              key={name}
              class={`flow-node is-${step.state}${picked === name ? " is-picked" : ""}`}
              transform={`translate(${x} ${y})`}
              role="button"
              tabIndex={0}
              aria-pressed={picked === name}
              aria-label={w("node", { name, state: stateWord(step.state) })}
              onClick={() => onPick(name)}
              onKeyDown={(event) => {
                if (event.key !== "Enter" && event.key !== " ") return;
                event.preventDefault();
                onPick(name);
              }}
            >
              <title>{w("node", { name, state: stateWord(step.state) })}</title>
              <rect width={NODE.width} height={NODE.height} rx="9" />
              <text class="flow-mark" x="14" y="31" aria-hidden="true">
                {MARKS[step.state] ?? "·"}
              </text>
              <text class="flow-name" x="32" y="23">
                {shortened(name, 15)}
              </text>
              <text class="flow-detail" x="32" y="40">
                {shortened(step.round > 1 ? `${detail} · ${w("round", { n: step.round })}` : detail, 17)}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}

const shortened = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
