// Keeps a list in the order it has while a pointer is over it: nothing may move away under a click.

import { useEffect, useRef, useState } from "preact/hooks";

/** A pointer that has rested for this long is not about to click. */
const REST_MS = 5_000;

/** Ids in the order in which they are to be shown: `ids`, or the held order with whoever came since at the end. */
export function heldOrder(ids: readonly string[], held: readonly string[] | null): string[] {
  if (held === null) return [...ids];
  const there = new Set(ids);
  const known = new Set(held);
  return [...held.filter((id) => there.has(id)), ...ids.filter((id) => !known.has(id))];
}

type Handlers = { onPointerMove: (event: PointerEvent) => void; onPointerLeave: () => void };

export function useHeldOrder(ids: readonly string[]): { order: string[]; handlers: Handlers } {
  const [held, setHeld] = useState<readonly string[] | null>(null);
  const timer = useRef(0);
  const release = () => {
    clearTimeout(timer.current);
    setHeld(null);
  };
  const order = heldOrder(ids, held);
  const onPointerMove = (event: PointerEvent) => {
    if (event.pointerType !== "mouse") return;
    if (held === null) setHeld(order);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(release, REST_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return { order, handlers: { onPointerMove, onPointerLeave: release } };
}
