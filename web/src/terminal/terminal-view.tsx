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
import { ToastStack } from "../parts/toast-stack";
import { isWebAddress } from "../state/links";
import { lineState } from "../state/line";
import { noteLatest } from "../state/notes";
import { isDark, prefs } from "../state/prefs";
import { toast } from "../state/toasts";
import { isWide } from "../state/window";
import { t } from "../text";
import type { Agent } from "../types";
import { silence } from "./silence";
import { strictDocument } from "./strict-document";
import { openTerminalLine, type TerminalLine } from "./terminal-line";
import { fitFont, keepSize, sizeOf, withinFonts } from "./terminal-size";
import { TerminalBar } from "./terminal-bar";
import { TerminalSearch } from "./terminal-search";
import { themeOf } from "./theme";
import { touchScroll } from "./touch-scroll";

/** The size of an agent in the background, until it tells its own. */
const USUAL = { cols: 120, rows: 40 };

type Parts = { terminal: Terminal; fit: FitAddon; search: SearchAddon; line: TerminalLine; touch: ReturnType<typeof touchScroll> };

/** `find` is a text to go to, once the screen is there. */
export function TerminalView({ agent, find }: { agent: Agent; find: string }) {
  const box = useRef<HTMLDivElement>(null);
  const parts = useRef<Parts | null>(null);
  const [isTyping, setIsTyping] = useState(false);
  const [hasSize, setHasSize] = useState(false);
  const [isBelow, setIsBelow] = useState(false);
  const [state, setState] = useState<"open" | "lost" | "ended">("open");
  const [isSearching, setIsSearching] = useState(false);
  const [isPainted, setIsPainted] = useState(false);
  const [isCtrl, setIsCtrl] = useState(false);
  const size = sizeOf(agent.id);
  const latest = useRef({ isTyping, hasSize, size, isCtrl });
  latest.current = { isTyping, hasSize, size, isCtrl };

  const refit = () => {
    const { current } = parts;
    if (!current || !box.current) return;
    const { hasSize, size } = latest.current;
    if (!hasSize) {
      fitFont(current.terminal, box.current, size);
      return;
    }
    current.terminal.options.fontSize = size.font;
    const room = current.fit.proposeDimensions();
    if (room && (room.cols !== current.terminal.cols || room.rows !== current.terminal.rows)) {
      current.line.takeSize(room.cols, room.rows);
      current.terminal.resize(room.cols, room.rows);
    }
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
      fontSize: size.font,
      scrollback: 5_000,
      ...themeOf(isDark.peek()),
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
    let shown: string | null = null;
    const line = openTerminalLine(agent.id, {
      onBytes: (bytes, isFirst) => {
        if (isFirst) terminal.reset();
        terminal.write(bytes, isFirst ? () => setIsPainted(true) : undefined);
      },
      onSize: (cols, rows) => {
        const now = `${cols}×${rows}`;
        if (shown !== null && shown !== now) noteLatest(agent.id, "size", t("note.size", { size: now }));
        shown = now;
        terminal.resize(cols, rows);
        if (!latest.current.hasSize) refit();
      },
      onState: setState,
    });
    parts.current = { terminal, fit, search, line, touch };
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
  useEffect(refit, [hasSize, size.font, size.isWhole]);
  const dark = isDark.value;
  useEffect(() => {
    if (parts.current) Object.assign(parts.current.terminal.options, themeOf(dark));
  }, [dark]);
  useEffect(() => {
    if (!isPainted || find === "") return;
    // From the end upwards: what was said last is meant.
    if (!parts.current?.search.findPrevious(find)) toast("plain", t("terminal.notThere"));
  }, [find, isPainted]);

  const toEnd = () => {
    parts.current?.touch.stop();
    parts.current?.terminal.scrollToBottom();
  };
  const copy = () => {
    const selected = parts.current?.terminal.getSelection() ?? "";
    if (selected !== "") copyText(selected).catch(tell);
    else api.screen(agent.id, 500).then(({ text }) => copyText(text)).catch(tell);
  };
  return (
    <div class={`terminal${isTyping ? " is-typing" : ""}`}>
      <TerminalBar
        handle={agent.handle}
        typing={{ isOn: isTyping, set: setIsTyping }}
        fit={{ isOn: hasSize, set: setHasSize }}
        whole={{ isOn: size.isWhole, set: (isWhole) => keepSize(agent.id, { isWhole }) }}
        searching={{ isOn: isSearching, set: setIsSearching }}
        onFont={(by) => keepSize(agent.id, { font: withinFonts(size.font + by), isWhole: false })}
        onCopy={copy}
      />
      {isSearching && <TerminalSearch parts={() => parts.current} />}
      {(state === "ended" || (state === "lost" && lineState.value === "open")) && (
        <p class="banner" role="status">
          {state === "lost" ? t("banner.reconnecting") : agent.seen ? t("terminal.away") : t("terminal.ended")}
        </p>
      )}
      <div class="terminal-box" ref={box} data-testid="terminal" />
      {!isWide.value && <ToastStack />}
      {isBelow && (
        <button type="button" class="news" onClick={toEnd}>
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

/** A letter as it is typed with Ctrl held; anything else as it is. */
function withCtrl(data: string): string {
  return /^[a-z@[\\\]^_]$/i.test(data) ? String.fromCharCode(data.toUpperCase().charCodeAt(0) & 31) : data;
}
