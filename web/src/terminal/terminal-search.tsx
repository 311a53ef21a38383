// Finds text in a terminal, and says how often it is there.

import type { SearchAddon } from "@xterm/addon-search";
import type { Terminal } from "@xterm/xterm";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../text";

type Parts = { terminal: Terminal; search: SearchAddon };
type Found = { at: number; n: number };

export function TerminalSearch({ parts }: { parts: () => Parts | null }) {
  const field = useRef<HTMLInputElement>(null);
  const [found, setFound] = useState<Found | null>(null);
  useEffect(() => field.current?.focus(), []);
  const look = (how: "findNext" | "findPrevious", incremental = false) => {
    const text = field.current?.value ?? "";
    const current = parts();
    if (!current || text === "") {
      setFound(null);
      return;
    }
    current.search[how](text, { incremental });
    setFound(placeOf(current.terminal, text));
  };
  return (
    <form
      class="terminal-search"
      onSubmit={(event) => {
        event.preventDefault();
        look("findNext");
      }}
    >
      <input ref={field} type="search" aria-label={t("terminal.search")} placeholder={t("terminal.search")} onInput={() => look("findNext", true)} />
      <span class="search-count" role="status">
        {found && (found.n === 0 ? t("terminal.foundNone") : t("terminal.found", found))}
      </span>
      <button type="button" class="chip-button" onClick={() => look("findPrevious")}>
        {t("terminal.previous")}
      </button>
      <button type="submit" class="chip-button">
        {t("terminal.next")}
      </button>
    </form>
  );
}

/** How often the text is there, and which of these is selected. */
function placeOf(terminal: Terminal, text: string): Found {
  const { active } = terminal.buffer;
  const picked = terminal.getSelectionPosition()?.start;
  const word = text.toLowerCase();
  let [n, at] = [0, 0];
  for (let row = 0; row < active.length; row += 1) {
    // A line that is wrapped is one with those below it.
    if (active.getLine(row)?.isWrapped) continue;
    let line = active.getLine(row)?.translateToString(false) ?? "";
    for (let next = row + 1; active.getLine(next)?.isWrapped; next += 1) line += active.getLine(next)?.translateToString(false) ?? "";
    const lower = line.toLowerCase();
    for (let place = lower.indexOf(word); place >= 0; place = lower.indexOf(word, place + word.length)) {
      n += 1;
      const [y, x] = [row + Math.floor(place / terminal.cols), place % terminal.cols];
      if (picked && (y < picked.y || (y === picked.y && x <= picked.x))) at = n;
    }
  }
  return { at: Math.max(at, Math.min(n, 1)), n };
}
