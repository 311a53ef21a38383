// What Stop does and what it tells: a receipt, and what to try if the agent did not react.

import { api, NoAnswer, Refused, type Level } from "../api";
import { errorText, withOneRetry } from "../state/interrupt";
import { note } from "../state/notes";
import { toast, type ToastAct } from "../state/toasts";
import { agentById, agents } from "../state/world";
import { t } from "../text";
import type { Agent } from "../types";
import { reasonOf, tell } from "./failure";

const RETRY_PAUSE_MS = 400;

export const isNetwork = (error: unknown) => error instanceof NoAnswer;
export const retryPause = () => new Promise<void>((done) => setTimeout(done, RETRY_PAUSE_MS));

/** Stops what an agent does. True: the hub answered, whatever it saw. */
export async function stopAgent(id: string, handle: string): Promise<boolean> {
  // What belongs to a task is told by the task.
  const isTask = Boolean(agentById(id)?.task);
  try {
    const receipt = await withOneRetry(() => api.interrupt(id, "stop"), isNetwork, retryPause);
    if (receipt.sent === null) toast("plain", t("stop.nothing", { name: handle }));
    else if (receipt.confirmed) {
      toast("good", t("stop.done", { name: handle }));
      if (!isTask) note(id, t("note.stopped"), "plain");
    } else toast("bad", t("stop.stillRunning", { name: handle }), escalation(id, handle));
    return true;
  } catch (error) {
    tellStopFailure(error);
    return false;
  }
}

/** The three texts for a Stop that failed; a code of the hub's own is told as it is. */
export function tellStopFailure(error: unknown): void {
  const isOwn = error instanceof Refused && error.status !== 404 && error.status < 500;
  const status = error instanceof Refused ? error.status : null;
  toast("bad", isOwn ? reasonOf(error) : t(errorText(status)));
}

function escalation(id: string, handle: string): ToastAct[] {
  const press = (level: Level) => async () => {
    try {
      const receipt = await api.interrupt(id, level);
      if (receipt.confirmed) toast("good", t("stop.done", { name: handle }));
      else toast("bad", t("stop.stillRunning", { name: handle }), escalation(id, handle));
    } catch (error) {
      tell(error);
    }
  };
  return [
    { label: t("stop.escAgain"), run: press("escape") },
    { label: t("stop.ctrlC"), run: press("ctrl-c") },
    { label: t("stop.kill"), run: press("kill") },
  ];
}

export function isRunning(agent: Agent): boolean {
  return agent.status === "working" || agent.status === "waiting" || agent.status === "stopping";
}

/** Stops everyone who does something. */
export async function stopAll(): Promise<void> {
  const running = agents.value.filter(isRunning);
  if (running.length === 0) {
    toast("plain", t("stop.nothingAtAll"));
    return;
  }
  const receipts = await Promise.allSettled(running.map((agent) => api.interrupt(agent.id, "stop")));
  const isDone = (result: (typeof receipts)[number]) => result.status === "fulfilled" && result.value.confirmed;
  const done = receipts.filter(isDone).length;
  const missed = running.filter((_, index) => !receipts[index] || !isDone(receipts[index]));
  if (missed.length === 0) toast("good", t("stop.all", { n: done }));
  else toast("bad", t("stop.someLeft", { n: done, names: missed.map((agent) => agent.handle).join(", ") }));
}
