// What the page knows, as signals, fed by the live line. The only place where messages of the hub become state.

import { computed, effect, signal, untracked } from "@preact/signals";
import { t } from "../text";
import type { Agent, Delta, Prompt, Session } from "../types";
import { byUrgency } from "./agent-order";
import { fetchAutoAnswer } from "./auto-answer";
import { emptyWorld, step, type World } from "./fold";
import { lineState, openLine, type Line } from "./line";
import { note } from "./notes";
import { prefs } from "./prefs";
import { route } from "./route";
import { beep } from "./sound";
import { forgetNumbers, hear, taskOf } from "./tasks";
import { announce, dismissAbout, toast } from "./toasts";
import { markRead, markUnread } from "./unread";

export const world = signal<World>(emptyWorld);
/** null: not known yet; false: the login is to be shown. */
export const session = signal<Session | null | false>(null);
/** Rises with each hello: what was shown before may have gone on unseen. */
export const helloCount = signal(0);
/** Rises when the list of worktrees is another. */
export const worktreesVersion = signal(0);

export const agents = computed(() => [...world.value.agents.values()].sort(byUrgency));
export const waiting = computed(() => agents.value.filter((agent) => agent.prompt !== null && agent.status === "waiting"));
export const hasWorld = computed(() => world.value.boot !== null);
/** What is shown may be old: badges are frozen. */
export const isStale = computed(() => lineState.value !== "open" || world.value.isBehind);
export const isReadOnly = computed(() => session.value !== null && session.value !== false && session.value.read_only);

export function agentById(id: string): Agent | undefined {
  const known = world.value.agents;
  // A conversation that is over is named after the id and the handle; the agent may run again.
  const [plain = "", name] = id.split("~");
  const found = known.get(plain) ?? [...known.values()].find((agent) => isCalled(agent, plain));
  return found && (name === undefined || isCalled(found, name)) ? found : undefined;
}

const isCalled = (agent: Agent, name: string) => agent.handle.toLowerCase() === name.toLowerCase();

let line: Line | null = null;

export function connect(): void {
  line?.close();
  line = openLine((said) => {
    const { world: next, applied, isGap } = step(world.value, said);
    world.value = next;
    if (isGap) line?.resync();
    if (said.type === "hello") {
      session.value = said.session;
      helloCount.value += 1;
      worktreesVersion.value += 1;
      fetchAutoAnswer();
      forgetNumbers();
    }
    if (applied) react(applied);
  }, loggedOut);
}

export function loggedOut(): void {
  line?.close();
  line = null;
  world.value = emptyWorld;
  session.value = false;
}

function react(delta: Delta): void {
  switch (delta.type) {
    case "agent.removed": {
      const text = t(delta.reason === "died" ? "toast.died" : "toast.gone", { name: delta.handle, how: delta.how ?? "" });
      toast(delta.reason === "died" ? "bad" : "plain", text);
      return;
    }
    case "prompt.opened":
      opened(delta.agent, delta.prompt);
      return;
    case "prompt.closed":
      dismissAbout(delta.agent);
      // What a rule answered is told by the list of its uses, and what belongs to a task by the task.
      if (delta.answer && delta.answer.rule === null && !agentById(delta.agent)?.task) {
        const by = isMe(delta.answer.by) ? t("answer.you") : delta.answer.by;
        note(delta.agent, t("note.answered", { value: delta.answer.value || "••••", by }), "good", delta.at);
      }
      return;
    case "task": {
      const before = taskOf(delta.task)?.status.state;
      hear(delta, agentById(delta.agent)?.handle ?? "", delta.at);
      const after = delta.event === "status" ? String(delta.data["state"] ?? "") : "";
      if (after !== before && (after === "completed" || after === "failed")) finished(delta.agent);
      return;
    }
    case "worktrees":
      worktreesVersion.value += 1;
      return;
    case "auto-answer":
      fetchAutoAnswer();
      return;
    default:
  }
}

function opened(id: string, prompt: Prompt): void {
  const handle = agentById(id)?.handle ?? id;
  const text = t("toast.waiting", { name: handle, question: prompt.question });
  announce(text);
  // These screens show the question itself.
  const isShown = isViewed(id) || ["agents", "inbox"].includes(route.value.screen);
  if (!isShown) toast("plain", text, [{ label: t("act.open"), run: () => openAgent(id) }], id);
  if (prefs.value.sound) beep();
}

function finished(id: string): void {
  if (!isViewed(id)) markUnread(id);
}

/** Presence is a visible viewer, not a socket. */
export function isViewed(id: string): boolean {
  return document.visibilityState === "visible" && route.value.screen === "agent" && agentById(route.value.id)?.id === id;
}

/** Whether a device is this one. */
export function isMe(by: string): boolean {
  const me = session.value;
  return me !== null && me !== false && (by === me.name || by === me.device);
}

let openAgent: (id: string) => void = () => {};

/** Wires what follows from the world: the title, the app's badge, what counts as read. */
export function watchWorld(open: (id: string) => void): void {
  openAgent = open;
  effect(() => {
    const count = waiting.value.length;
    document.title = count > 0 ? `(${count}) Synapse` : "Synapse";
    if ("setAppBadge" in navigator) void navigator.setAppBadge(count).catch(() => {});
  });
  effect(() => {
    if (route.value.screen !== "agent") return;
    const { id: named } = route.value;
    untracked(() => {
      // An address may have the handle instead.
      const id = agentById(named)?.id ?? named;
      markRead(id);
      dismissAbout(id);
    });
  });
}
