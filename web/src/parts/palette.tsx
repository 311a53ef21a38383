// ⌘K: go to or do anything by typing a bit of its name.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "../api";
import { folderName } from "../state/agent-order";
import { bestFirst } from "../state/match";
import { agentUrl, go, worktreeUrl } from "../state/route";
import { agents, isReadOnly } from "../state/world";
import { t, type TextKey } from "../text";
import type { Found } from "../types";
import { isRunning, stopAgent, stopAll } from "./stop";
import { closeOverlay, openHelp, openNewAgent } from "./overlays";
import { PLACES } from "./rail";
import { useFetched } from "./use-fetched";

/** `name` is what it is found by. */
type Item = { id: string; group: string; text: string; name: string; note: string; run: () => void };

const TYPING_PAUSE_MS = 150;
const MOST_PER_GROUP = 8;
const MOST = 24;
/** The hub is asked from so many letters on. */
const SEARCHED_FROM = 2;
const NOTHING: Found = { agents: [], former: [], tasks: [], files: [], worktrees: [] };

export function Palette() {
  const box = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [found, setFound] = useState<Found | null>(null);
  const [picked, setPicked] = useState(0);
  const [isEntered, setIsEntered] = useState(false);
  useEffect(() => {
    if (box.current && !box.current.open) box.current.showModal();
  }, []);
  useEffect(() => {
    setFound(null);
    if (text.trim().length < SEARCHED_FROM) return;
    let isCurrent = true;
    const timer = window.setTimeout(() => {
      api.search(text.trim()).then((got) => isCurrent && setFound(got), () => isCurrent && setFound(NOTHING));
    }, TYPING_PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text]);
  const trees = useFetched(api.repositories, []).value;
  const isSearched = found !== null || text.trim().length < SEARCHED_FROM;
  const items = useMemo(() => {
    const names = new Map(trees?.repositories.flatMap((one) => one.worktrees).map((tree) => [tree.id, tree.name]));
    const all = bestFirst([...local(), ...(found ? named(found, names) : [])], text, (item) => item.name);
    return [...all.slice(0, MOST), ...(found ? messages(found) : []), ...searchItem(text)];
  }, [text, found, trees, agents.value]);
  const run = (item: Item | undefined) => {
    if (!item) return;
    closeOverlay();
    item.run();
  };
  useEffect(() => {
    if (isEntered && isSearched) run(items[0]);
  }, [isEntered, isSearched]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const by = event.key === "ArrowDown" ? 1 : items.length - 1;
      if (items.length > 0) setPicked((picked + by) % items.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      // What fits best may still be on its way.
      if (picked === 0 && !isSearched) setIsEntered(true);
      else run(items[picked]);
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
          setIsEntered(false);
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

/** What the page itself knows. */
function local(): Item[] {
  const agentItems = agents.value.map((agent) => item(`a${agent.id}`, "palette.agent", agent.handle, [t(`status.${agent.status}`), folderName(agent.dir), agent.branch], () => go(agentUrl(agent.id))));
  const stops = isReadOnly.value ? [] : agents.value.filter(isRunning).map((agent) => item(`s${agent.id}`, "palette.act", t("palette.stop", { name: agent.handle }), [], () => void stopAgent(agent.id, agent.handle)));
  const places = PLACES.map((place) => item(`p${place.screen}`, "palette.go", t(place.text), [], () => go(place.url)));
  const acts = [
    item("new", "palette.act", t("agents.new"), [], () => openNewAgent()),
    item("all", "palette.act", t("agents.stopAll"), [], () => void stopAll()),
  ];
  return [...agentItems, ...stops, ...places, ...(isReadOnly.value ? [] : acts), item("help", "palette.act", t("help.title"), ["?"], openHelp)];
}

/** What the hub found by name; files of the same path are told apart by their worktree. */
function named(found: Found, trees: ReadonlyMap<string, string>): Item[] {
  const files = found.files.slice(0, MOST_PER_GROUP).map((file) => ({
    ...item(`f${file.worktree}${file.path}`, "palette.file", file.path, [trees.get(file.worktree)], () => go(worktreeUrl(file.worktree, "files", file.path))),
    name: file.path.split("/").pop() ?? file.path,
  }));
  const worktrees = found.worktrees.slice(0, MOST_PER_GROUP).map((tree) => item(`w${tree.id}`, "palette.worktree", tree.name, [tree.branch], () => go(worktreeUrl(tree.id))));
  const former = found.former.slice(0, MOST_PER_GROUP).map((agent) => item(`o${agent.id}`, "palette.agent", agent.handle, [t("status.stopped"), folderName(agent.dir)], () => go(agentUrl(agent.id))));
  return [...worktrees, ...former, ...files];
}

function messages(found: Found): Item[] {
  return found.tasks.slice(0, MOST_PER_GROUP).map(({ task, snippet }) => item(`t${task.id}`, "palette.message", snippet || task.text, [task.to], () => go(agentUrl(task.agent, { message: task.id }))));
}

function searchItem(text: string): Item[] {
  const q = text.trim();
  return q === "" ? [] : [item("search", "palette.go", t("palette.searchFor", { q }), [], () => go(`/search?q=${encodeURIComponent(q)}`))];
}

function item(id: string, group: TextKey, text: string, notes: readonly (string | null | undefined)[], run: () => void): Item {
  const note = notes.filter(Boolean).join(" · ");
  return { id, group: t(group), text, name: `${text} ${note}`, note, run };
}
