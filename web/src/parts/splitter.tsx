// The bar between two panes: drag it, or move it with the arrow keys. The place is remembered.

import { useRef } from "preact/hooks";
import { prefer, prefs } from "../state/prefs";
import { t } from "../text";

const LEAST = 0.25;
const MOST = 0.75;
const STEP = 0.03;

const within = (share: number) => Math.min(MOST, Math.max(LEAST, share));

export function Splitter() {
  const bar = useRef<HTMLDivElement>(null);
  const show = (share: number) => bar.current?.parentElement?.style.setProperty("--split", String(share));
  const onMove = (event: PointerEvent) => {
    const box = bar.current?.parentElement?.getBoundingClientRect();
    if (!box || !bar.current?.hasPointerCapture(event.pointerId)) return;
    prefer({ split: within((event.clientX - box.left) / box.width) });
  };
  const share = prefs.value.split;
  return (
    <div
      ref={(element) => {
        bar.current = element;
        show(share);
      }}
      class="splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label={t("agent.splitter")}
      aria-valuenow={Math.round(share * 100)}
      aria-valuemin={LEAST * 100}
      aria-valuemax={MOST * 100}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onMove}
      onKeyDown={(event) => {
        const by = event.key === "ArrowLeft" ? -STEP : event.key === "ArrowRight" ? STEP : 0;
        if (by !== 0) prefer({ split: within(share + by) });
      }}
    />
  );
}
