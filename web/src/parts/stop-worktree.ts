// Stops all that runs in one worktree, by the contract of that route: all of it, confirmed or named.

import { api } from "../api";
import { withOneRetry } from "../state/interrupt";
import { toast } from "../state/toasts";
import { t } from "../text";
import { isNetwork, retryPause, tellStopFailure } from "./stop";

export async function stopWorktree(id: string): Promise<boolean> {
  try {
    const { interrupted } = await withOneRetry(() => api.interruptWorktree(id), isNetwork, retryPause);
    const left = interrupted.filter((one) => !one.confirmed).map((one) => one.sessionName);
    if (interrupted.length === 0) toast("plain", t("stop.nothingAtAll"));
    else if (left.length === 0) toast("good", t("stop.all", { n: interrupted.length }));
    else toast("bad", t("stop.someLeft", { n: interrupted.length - left.length, names: left.join(", ") }));
    return true;
  } catch (error) {
    tellStopFailure(error);
    return false;
  }
}
