// Scrolls a terminal by touch: up and down through its lines, with a little momentum; sideways is left to the browser.

import type { IDisposable, Terminal } from "@xterm/xterm";

/** What is left of the speed after each frame. */
const FRICTION = 0.94;
/** Slower than this, in pixels a frame, is standing still. */
const STANDSTILL = 0.4;

/** `stop` ends a glide, for somebody who goes elsewhere meanwhile. */
export function touchScroll(terminal: Terminal, box: HTMLElement): IDisposable & { stop: () => void } {
  let lastY = 0;
  let rest = 0;
  let speed = 0;
  let frame = 0;
  const lineHeight = () => (terminal.element?.querySelector(".xterm-screen")?.clientHeight ?? 0) / terminal.rows || 16;
  const scrollBy = (pixels: number) => {
    rest += pixels;
    const lines = Math.trunc(rest / lineHeight());
    if (lines === 0) return;
    rest -= lines * lineHeight();
    terminal.scrollLines(lines);
  };
  const glide = () => {
    speed *= FRICTION;
    if (Math.abs(speed) < STANDSTILL) return;
    scrollBy(speed);
    frame = requestAnimationFrame(glide);
  };
  const onStart = (event: TouchEvent) => {
    cancelAnimationFrame(frame);
    lastY = event.touches[0]?.clientY ?? 0;
    speed = 0;
    rest = 0;
  };
  const onMove = (event: TouchEvent) => {
    const y = event.touches[0]?.clientY ?? lastY;
    speed = lastY - y;
    scrollBy(speed);
    lastY = y;
  };
  const onEnd = () => {
    frame = requestAnimationFrame(glide);
  };
  box.addEventListener("touchstart", onStart, { passive: true });
  box.addEventListener("touchmove", onMove, { passive: true });
  box.addEventListener("touchend", onEnd, { passive: true });
  return {
    stop: () => cancelAnimationFrame(frame),
    dispose() {
      cancelAnimationFrame(frame);
      box.removeEventListener("touchstart", onStart);
      box.removeEventListener("touchmove", onMove);
      box.removeEventListener("touchend", onEnd);
    },
  };
}
