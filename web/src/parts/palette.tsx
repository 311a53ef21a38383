// ⌘K: go to or do anything by typing a bit of its name.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "../api";
import { agentUrl, go, worktreeUrl } from "../state/route";
import { agents, isReadOnly } from "../state/world";
import { t } from "../text";
import type { Found } from "../types";
import { isRunning, stopAgent, stopAll } from "./stop";
import { closeOverlay, openHelp, openNewAgent } from "./overlays";
import { PLACES } from "./rail";

type Item = { id: string; group: string; text: string; note: string; run: () => void };

const TYPING_PAUSE_MS = 150;
const MOST_PER_GROUP = 8;

export function Palette() {
  const box = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [found, setFound] = useState<Found | null>(null);
  const [picked, setPicked] = useState(0);
  useEffect(() => {
    if (box.current && !box.current.open) box.current.showModal();
  }, []);
  useEffect(() => {
    setFound(null);
    if (text.trim().length < 2) return;
    let isCurrent = true;
    const timer = window.setTimeout(() => {
      api.search(text.trim()).then((got) => isCurrent && setFound(got), () => {});
    }, TYPING_PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text]);
  const items = useMemo(() => [...local(text), ...(found ? remote(found) : [])], [text, found, agents.value]);
  const run = (item: Item | undefined) => {
    if (!item) return;
    closeOverlay();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const by = event.key === "ArrowDown" ? 1 : items.length - 1;
      if (items.length > 0) setPicked((picked + by) % items.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(items[picked]);
    }
  };
  return (
    <dialog
      ref={box}
      class="dialog palette"
      aria-label={t("palette.label")}
      onCancel={(event) => {
        event.preventDefault();
        closeOverlay();
      }}
      onClick={(event) => event.target === box.current && closeOverlay()}
    >
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-items"
        aria-activedescendant={items[picked] ? `item-${items[picked].id}` : undefined}
        aria-label={t("palette.label")}
        placeholder={t("palette.placeholder")}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setPicked(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-items" role="listbox" aria-label={t("palette.results")}>
        {items.map((item, index) => (
          <li key={item.id} id={`item-${item.id}`} role="option" aria-selected={index === picked} onClick={() => run(item)} ref={(row) => { if (index === picked) row?.scrollIntoView({ block: "nearest" }); }}>
            <span class="palette-group">{item.group}</span>
            <span class="palette-text">{item.text}</span>
            <span class="palette-note">{item.note}</span>
          </li>
        ))}
      </ul>
      {items.length === 0 && <p class="palette-none">{t("search.none")}</p>}
    </dialog>
  );
}

function local(text: string): Item[] {
  const word = text.trim().toLowerCase();
  const isMeant = (item: Item) => word === "" || `${item.text} ${item.note}`.toLowerCase().includes(word);
  const agentItems = agents.value.map((agent): Item => ({
    id: `a${agent.id}`,
    group: t("palette.agent"),
    text: agent.handle,
    note: [t(`status.${agent.status}`), agent.branch].filter(Boolean).join(" · "),
    run: () => go(agentUrl(agent.id)),
  }));
  const stops = isReadOnly.value ? [] : agents.value.filter(isRunning).map((agent): Item => ({
    id: `s${agent.id}`,
    group: t("palette.act"),
    text: t("palette.stop", { name: agent.handle }),
    note: "",
    run: () => void stopAgent(agent.id, agent.handle),
  }));
  const places = PLACES.map((place): Item => ({
    id: `p${place.screen}`,
    group: t("palette.go"),
    text: t(place.text),
    note: "",
    run: () => go(place.url),
  }));
  const acts: Item[] = [
    { id: "new", group: t("palette.act"), text: t("agents.new"), note: "", run: () => openNewAgent() },
    { id: "all", group: t("palette.act"), text: t("agents.stopAll"), note: "", run: () => void stopAll() },
    { id: "help", group: t("palette.act"), text: t("help.title"), note: "?", run: openHelp },
  ];
  const search: Item[] = word === "" ? [] : [
    { id: "search", group: t("palette.go"), text: t("palette.searchFor", { q: text.trim() }), note: "", run: () => go(`/search?q=${encodeURIComponent(text.trim())}`) },
  ];
  return [...agentItems.filter(isMeant).slice(0, MOST_PER_GROUP), ...[...stops, ...places, ...(isReadOnly.value ? acts.slice(2) : acts)].filter(isMeant), ...search];
}

function remote(found: Found): Item[] {
  const tasks = found.tasks.slice(0, MOST_PER_GROUP).map(({ task, snippet }): Item => ({
    id: `t${task.id}`,
    group: t("palette.message"),
    text: snippet || task.text,
    note: "",
    run: () => go(agentUrl(task.agent, { message: task.id })),
  }));
  const files = found.files.slice(0, MOST_PER_GROUP).map((file): Item => ({
    id: `f${file.worktree}${file.path}`,
    group: t("palette.file"),
    text: file.path,
    note: "",
    run: () => go(worktreeUrl(file.worktree, "files", file.path)),
  }));
  const trees = found.worktrees.slice(0, MOST_PER_GROUP).map((tree): Item => ({
    id: `w${tree.id}`,
    group: t("palette.worktree"),
    text: tree.name,
    note: tree.branch ?? "",
    run: () => go(worktreeUrl(tree.id)),
  }));
  const former = found.former.slice(0, MOST_PER_GROUP).map((agent): Item => ({
    id: `o${agent.id}`,
    group: t("palette.agent"),
    text: agent.handle,
    note: t("status.stopped"),
    run: () => go(agentUrl(agent.id)),
  }));
  return [...trees, ...former, ...tasks, ...files];
}
