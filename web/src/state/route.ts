// Addresses of the page. Every screen, agent, task and worktree can be linked to.

import { signal } from "@preact/signals";
import { leaveEntry, rememberScroll, restoreScroll } from "./scroll-memory";

export const AGENT_TABS = ["conversation", "terminal", "changes", "files", "info"] as const;
export type AgentTab = (typeof AGENT_TABS)[number];

export type Route =
  | { screen: "agents" | "inbox" | "mesh" | "worktrees" | "settings" | "more" }
  | { screen: "agent"; id: string; tab: AgentTab | null; path: string; find: string; message: string }
  | { screen: "task" | "flows"; id: string }
  | { screen: "worktree"; id: string; tab: "changes" | "files"; path: string }
  | { screen: "search"; q: string }
  | { screen: "lost" };

export function parseRoute(pathname: string, search: string): Route {
  const [first = "", id = "", tab = ""] = pathname.split("/").filter(Boolean).map(decode);
  const query = new URLSearchParams(search);
  switch (first) {
    case "":
      return { screen: "agents" };
    case "inbox":
    case "mesh":
    case "settings":
    case "more":
      return { screen: first };
    case "a":
      if (id === "") return { screen: "agents" };
      return { screen: "agent", id, tab: AGENT_TABS.find((name) => name === tab) ?? null, path: query.get("path") ?? "", find: query.get("find") ?? "", message: query.get("message") ?? "" };
    case "flows":
      return { screen: "flows", id };
    case "t":
      return id === "" ? { screen: "inbox" } : { screen: "task", id };
    case "w": {
      if (id === "") return { screen: "worktrees" };
      const path = query.get("path") ?? "";
      return { screen: "worktree", id, tab: tab === "files" ? "files" : "changes", path };
    }
    case "search":
      return { screen: "search", q: query.get("q") ?? "" };
    default:
      return { screen: "lost" };
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `message` is the task that its conversation is to be opened at. */
export const agentUrl = (id: string, to: { tab?: AgentTab; path?: string; find?: string; message?: string } = {}) => {
  const { tab, ...query } = to;
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value)).toString();
  return `/a/${encodeURIComponent(id)}${tab ? `/${tab}` : ""}${text && `?${text}`}`;
};
export const taskUrl = (id: string) => `/t/${encodeURIComponent(id)}`;
export const worktreeUrl = (id: string, tab?: "changes" | "files", path?: string) =>
  `/w/${encodeURIComponent(id)}${tab ? `/${tab}` : ""}${path ? `?path=${encodeURIComponent(path)}` : ""}`;

/** Where what a reply names, and the reply itself, can be looked at. */
export type Links = {
  file: (path: string) => string;
  diff: (path: string) => string;
  /** The terminal where this text stands. */
  terminal: ((text: string) => string) | null;
};

/** A running agent's own tabs. */
export const agentLinks = (id: string, hasTerminal: boolean): Links => ({
  file: (path) => agentUrl(id, { tab: "files", path }),
  diff: (path) => agentUrl(id, { tab: "changes", path }),
  terminal: hasTerminal ? (find) => agentUrl(id, { tab: "terminal", find }) : null,
});

/** The worktree of an agent that is gone. */
export const worktreeLinks = (id: string): Links => ({
  file: (path) => worktreeUrl(id, "files", path),
  diff: (path) => worktreeUrl(id, "changes", path),
  terminal: null,
});

const hasWindow = typeof window !== "undefined";
const here = () => (hasWindow ? parseRoute(location.pathname, location.search) : parseRoute("/", ""));

export const route = signal<Route>(here());

export function go(url: string, how: "push" | "replace" = "push"): void {
  const isNew = how === "push" && url !== location.pathname + location.search;
  const state = leaveEntry(isNew ? "push" : "replace");
  if (isNew) history.pushState(state, "", url);
  else history.replaceState(state, "", url);
  route.value = here();
}

/** Makes links of the page open without loading it again. */
export function followLinks(): void {
  rememberScroll();
  window.addEventListener("popstate", () => {
    leaveEntry("back");
    route.value = here();
    restoreScroll();
  });
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || link.target !== "" || link.origin !== location.origin || link.hasAttribute("download")) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
