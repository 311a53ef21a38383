// How large letters are: what was chosen for each agent, and what fits.

import type { Terminal } from "@xterm/xterm";
import { signal } from "@preact/signals";
import { load, save } from "../state/prefs";

export type Size = { font: number; isWhole: boolean };

const KEY = "synapse.terminals";
const MOST_AGENTS = 50;
const USUAL: Size = { font: 13, isWhole: false };
const FONTS = { least: 8, most: 24 };
/** Smaller letters are hard to read; rather than that, the terminal pans. */
const LEGIBLE = 12;
/** The whole width is shown in letters as small as that. */
const SMALLEST = 3;

const sizes = signal<Record<string, Size>>(load(KEY, {}));

export function sizeOf(agent: string): Size {
  return { ...USUAL, ...sizes.value[agent] };
}

export function keepSize(agent: string, change: Partial<Size>): void {
  const { [agent]: _, ...others } = sizes.value;
  const kept = Object.entries(others).slice(1 - MOST_AGENTS);
  sizes.value = { ...Object.fromEntries(kept), [agent]: { ...sizeOf(agent), ...change } };
  save(KEY, sizes.value);
}

export const withinFonts = (font: number) => Math.min(FONTS.most, Math.max(FONTS.least, font));

/** Sets the letters of a terminal whose size is another's: as chosen, down to what is legible where that shows every
 *  column; with the whole width asked for, down to whatever shows every column. */
export function fitFont(terminal: Terminal, box: HTMLElement, { font, isWhole }: Size): void {
  const screen = terminal.element?.querySelector<HTMLElement>(".xterm-screen");
  terminal.options.fontSize = font;
  if (!screen || box.clientWidth <= 0) return;
  const room = box.clientWidth - parseFloat(getComputedStyle(box).paddingLeft);
  const least = isWhole ? SMALLEST : Math.min(font, LEGIBLE);
  // The width of a letter does not grow evenly with its size, so one guess may still be too wide.
  for (let size = font; screen.offsetWidth > room && size > least; ) {
    const guess = Math.floor(((size * room) / screen.offsetWidth) * 4) / 4;
    size = Math.max(least, Math.min(guess, size - 0.25));
    terminal.options.fontSize = size;
  }
}
