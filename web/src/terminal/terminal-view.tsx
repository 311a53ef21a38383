// An agent's real screen, live. Read-only until a person turns typing on; the size is taken only when asked for.

import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { api } from "../api";
import { copyText } from "../parts/copy-button";
import { tell } from "../parts/failure";
import { Icon } from "../parts/icon";
import { KeyRow } from "../parts/key-row";
import { isWebAddress } from "../state/links";
import { note } from "../state/notes";
import { prefer, prefs } from "../state/prefs";
import { toast } from "../state/toasts";
import { isWide } from "../state/window";
import { isReadOnly } from "../state/world";
import { t } from "../text";
import type { Agent } from "../types";
import { silence } from "./silence";
import { strictDocument } from "./strict-document";
import { openTerminalLine, type TerminalLine } from "./terminal-line";
import { THEME } from "./theme";
import { touchScroll } from "./touch-scroll";

/** The size of an agent in the background, until it tells its own. */
const USUAL = { cols: 120, rows: 40 };
const SMALLEST_FONT = 8;
const FONTS = { least: 8, most: 24 };

type Parts = { terminal: Terminal; fit: FitAddon; search: SearchAddon; line: TerminalLine };

/** `find` is a text to go to, once the screen is there. */
export function TerminalView({ agent, fontSize, find }: { agent: Agent; fontSize: number; find: string }) {
  const box = useRef<HTMLDivElement>(null);
  const parts = useRef<Parts | null>(null);
  const [isTyping, setIsTyping] = useState(false);
  const [hasSize, setHasSize] = useState(false);
  const [isScaled, setIsScaled] = useState(isWide.value);
  const [isBelow, setIsBelow] = useState(false);
  const [state, setState] = useState<"open" | "lost" | "ended">("open");
  const [isSearching, setIsSearching] = useState(false);
  const [isPainted, setIsPainted] = useState(false);
  const [isCtrl, setIsCtrl] = useState(false);
  const latest = useRef({ isTyping, hasSize, isScaled, fontSize, isCtrl });
  latest.current = { isTyping, hasSize, isScaled, fontSize, isCtrl };

  const refit = () => {
    const { current } = parts;
    if (!current || !box.current) return;
    const { hasSize, isScaled, fontSize } = latest.current;
    if (hasSize) {
      current.terminal.options.fontSize = fontSize;
      const size = current.fit.proposeDimensions();
      if (size && (size.cols !== current.terminal.cols || size.rows !== current.terminal.rows)) {
        current.line.takeSize(size.cols, size.rows);
        current.terminal.resize(size.cols, size.rows);
      }
    } else current.terminal.options.fontSize = isScaled ? scaledFont(current.terminal, box.current, fontSize) : fontSize;
  };

  useEffect(() => {
    const place = box.current;
    if (!place) return;
    const strict = strictDocument();
    const terminal = new Terminal({
      ...USUAL,
      documentOverride: strict.document,
      allowProposedApi: true,
      disableStdin: true,
      cursorInactiveStyle: "outline",
      fontFamily: 'ui-monospace, "SF Mono", "Cascadia Code", "DejaVu Sans Mono", Menlo, Consolas, monospace',
      fontSize,
      scrollback: 5_000,
      theme: THEME,
      screenReaderMode: prefs.value.terminalForReaders,
      linkHandler: {
        activate: (_, address) => {
          if (isWebAddress(address)) window.open(address, "_blank", "noopener,noreferrer");
        },
      },
    });
    const fit = new FitAddon();
    const search = new SearchAddon();
    terminal.loadAddon(fit);
    terminal.loadAddon(search);
    strict.during(() => terminal.open(place));
    const quiet = silence(terminal);
    const touch = touchScroll(terminal, place);
    let size: string | null = null;
    const line = openTerminalLine(agent.id, {
      onBytes: (bytes, isFirst) => {
        if (isFirst) terminal.reset();
        terminal.write(bytes, isFirst ? () => setIsPainted(true) : undefined);
      },
      onSize: (cols, rows) => {
        if (size !== null && size !== `${cols}×${rows}`) note(agent.id, t("note.size", { size: `${cols}×${rows}` }));
        size = `${cols}×${rows}`;
        terminal.resize(cols, rows);
        if (!latest.current.hasSize) refit();
      },
      onState: setState,
    });
    parts.current = { terminal, fit, search, line };
    const watchEnd = () => setIsBelow(terminal.buffer.active.viewportY < terminal.buffer.active.baseY);
    terminal.onScroll(watchEnd);
    terminal.onWriteParsed(watchEnd);
    terminal.onData((data) => {
      if (!latest.current.isTyping) return;
      line.keys(latest.current.isCtrl ? withCtrl(data) : data);
      setIsCtrl(false);
    });
    terminal.onBinary((data) => latest.current.isTyping && line.keys(data));
    const watcher = new ResizeObserver(() => refit());
    watcher.observe(place);
    refit();
    return () => {
      watcher.disconnect();
      line.close();
      quiet.dispose();
      touch.dispose();
      terminal.dispose();
      strict.dispose();
      parts.current = null;
    };
  }, [agent.id]);

  // Before it is painted: whoever reads that keys go there may type at once.
  useLayoutEffect(() => {
    if (!parts.current) return;
    parts.current.terminal.options.disableStdin = !isTyping;
    if (isTyping) parts.current.terminal.focus();
  }, [isTyping]);
  useEffect(refit, [hasSize, isScaled, fontSize]);
  useEffect(() => {
    if (!isPainted || find === "") return;
    // From the end upwards: what was said last is meant.
    if (!parts.current?.search.findPrevious(find)) toast("plain", t("terminal.notThere"));
  }, [find, isPainted]);

  const copy = () => {
    const selected = parts.current?.terminal.getSelection() ?? "";
    if (selected !== "") copyText(selected).catch(tell);
    else api.screen(agent.id, 500).then(({ text }) => copyText(text)).catch(tell);
  };
  const font = (by: number) => prefer({ terminalFont: Math.min(FONTS.most, Math.max(FONTS.least, fontSize + by)) });
  return (
    <div class={`terminal${isTyping ? " is-typing" : ""}`}>
      <div class="terminal-bar" role="toolbar" aria-label={t("terminal.tools")}>
        {!isReadOnly.value && (
          <button type="button" class="chip-button strong" aria-pressed={isTyping} onClick={() => setIsTyping(!isTyping)}>
            <Icon name="keyboard" />
            <span>{isTyping ? t("terminal.keysGo", { name: agent.handle }) : t("terminal.type")}</span>
          </button>
        )}
        <span class="head-gap" />
        {!isReadOnly.value && (
          <button type="button" class="chip-button" aria-pressed={hasSize} title={t("terminal.fitHint")} onClick={() => setHasSize(!hasSize)}>
            {t("terminal.fit")}
          </button>
        )}
        <button type="button" class="chip-button" onClick={() => font(-1)}>
          <span aria-hidden="true">A−</span>
          <span class="visually-hidden">{t("terminal.smaller")}</span>
        </button>
        <button type="button" class="chip-button" onClick={() => font(1)}>
          <span aria-hidden="true">A+</span>
          <span class="visually-hidden">{t("terminal.larger")}</span>
        </button>
        <button type="button" class="icon-button small" aria-label={t("terminal.search")} aria-pressed={isSearching} onClick={() => setIsSearching(!isSearching)}>
          <Icon name="search" />
        </button>
        <button type="button" class="icon-button small" aria-label={t("terminal.copy")} onClick={copy}>
          <Icon name="copy" />
        </button>
        {!hasSize && (
          <button type="button" class="chip-button" aria-pressed={isScaled} onClick={() => setIsScaled(!isScaled)}>
            {t("terminal.scale")}
          </button>
        )}
      </div>
      {isSearching && <SearchBar onSearch={(text, isBack) => (isBack ? parts.current?.search.findPrevious(text) : parts.current?.search.findNext(text))} />}
      {state !== "open" && (
        <p class="banner" role="status">
          {state === "lost" ? t("banner.reconnecting") : t("terminal.ended")}
        </p>
      )}
      <div class="terminal-box" ref={box} data-testid="terminal" />
      {isBelow && (
        <button type="button" class="news" onClick={() => parts.current?.terminal.scrollToBottom()}>
          <Icon name="down" /> {t("terminal.news")}
        </button>
      )}
      {isTyping && (
        <KeyRow
          onKey={(key) => void api.keys(agent.id, [key]).catch(tell)}
          ctrl={{
            isOn: isCtrl,
            set: (isOn) => {
              setIsCtrl(isOn);
              parts.current?.terminal.focus();
            },
          }}
        />
      )}
    </div>
  );
}

function SearchBar({ onSearch }: { onSearch: (text: string, isBack: boolean) => void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <form
      class="terminal-search"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(field.current?.value ?? "", false);
      }}
    >
      <input ref={field} type="search" aria-label={t("terminal.search")} placeholder={t("terminal.search")} />
      <button type="button" class="chip-button" onClick={() => onSearch(field.current?.value ?? "", true)}>
        {t("terminal.previous")}
      </button>
      <button type="submit" class="chip-button">
        {t("terminal.next")}
      </button>
    </form>
  );
}

/** A letter as it is typed with Ctrl held; anything else as it is. */
function withCtrl(data: string): string {
  return /^[a-z@[\\\]^_]$/i.test(data) ? String.fromCharCode(data.toUpperCase().charCodeAt(0) & 31) : data;
}

/** The largest font, up to the chosen one, at which every column is in view. */
function scaledFont(terminal: Terminal, box: HTMLElement, chosen: number): number {
  const screen = terminal.element?.querySelector(".xterm-screen");
  const size = terminal.options.fontSize ?? chosen;
  const cell = (screen?.clientWidth ?? 0) / terminal.cols;
  if (cell <= 0 || box.clientWidth <= 0) return chosen;
  const fitting = Math.floor(((box.clientWidth - 18) / terminal.cols / (cell / size)) * 2) / 2;
  return Math.min(chosen, Math.max(SMALLEST_FONT, fitting));
}
