// A long column of pieces, of which only those near the view are drawn. The rest follow as somebody scrolls towards them.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** So many are drawn at first, and with each step. */
const STEP = 3;
/** How far below the view the next ones are drawn. */
const AHEAD = "1500px";

type Props = { count: number; render: (index: number) => ComponentChildren };

export function Chunked({ count, render }: Props) {
  const [drawn, setDrawn] = useState(STEP);
  const end = useRef<HTMLDivElement>(null);
  const isWhole = drawn >= count;
  useEffect(() => {
    if (isWhole || !end.current) return;
    const watcher = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && setDrawn(drawn + STEP), { rootMargin: AHEAD });
    watcher.observe(end.current);
    return () => watcher.disconnect();
  }, [drawn, isWhole]);
  if (count === 1) return <>{render(0)}</>;
  const shown = Array.from({ length: Math.min(drawn, count) }, (_, index) => (
    <div key={index} class="chunk">
      {render(index)}
    </div>
  ));
  return (
    <>
      {shown}
      {!isWhole && <div ref={end} class="chunk-end" />}
    </>
  );
}
