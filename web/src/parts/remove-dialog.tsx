// Removes a worktree. Nothing is lost silently: what is not committed or not merged is told before, refused by the hub,
// and removed only by a second, explicit word; if the counts changed meanwhile the hub refuses again.

import { useState } from "preact/hooks";
import { api, Refused } from "../api";
import { go } from "../state/route";
import { toast } from "../state/toasts";
import { agentById } from "../state/world";
import { t, tn } from "../text";
import type { Agent, Worktree } from "../types";
import { tell } from "./failure";
import { FormDialog } from "./form-dialog";

type Loss = { dirty: number; untracked: number; unmerged: number };

export function RemoveDialog({ tree, onClose }: { tree: Worktree; onClose: () => void }) {
  const [loss, setLoss] = useState<Loss | null>(null);
  const [deletesBranch, setDeletesBranch] = useState(false);
  const remove = async () => {
    try {
      const forced: Record<string, string | number | boolean> = loss === null ? {} : { force: true, ...loss };
      await api.removeWorktree(tree.id, { ...forced, ...(deletesBranch && { branch: "delete" }) });
    } catch (error) {
      if (!(error instanceof Refused) || (error.code !== "dirty" && error.code !== "unmerged")) throw error;
      setLoss(lossIn(error.body));
      return false;
    }
    toast("good", t("remove.done", { name: tree.name }));
    go("/w", "replace");
    return;
  };
  const expected: Loss = { dirty: tree.dirty, untracked: tree.untracked, unmerged: tree.ahead };
  const here = tree.agents.flatMap((id) => agentById(id) ?? []);
  return (
    <FormDialog title={t("remove.title", { name: tree.name })} act={loss ? t("remove.force") : t("remove.do")} busy={t("remove.busy")} cancel={t("remove.keep")} isDangerous onClose={onClose} onSubmit={remove}>
      <p>{t("remove.text", { path: tree.path })}</p>
      {here.length > 0 && <AgentsHere agents={here} />}
      <label class="check">
        <input type="checkbox" checked={deletesBranch} onChange={(event) => setDeletesBranch(event.currentTarget.checked)} />
        {t("remove.branch", { branch: tree.branch ?? "" })}
      </label>
      {!loss && isAnything(expected) && (
        <div class="loss">
          <p>{t("remove.wouldLose")}</p>
          <LossList loss={expected} base={tree.base} />
        </div>
      )}
      {loss && (
        <div class="problem" role="alert" data-testid="loss">
          <p>{t("remove.refused")}</p>
          <LossList loss={loss} base={tree.base} />
        </div>
      )}
    </FormDialog>
  );
}

const isAnything = (loss: Loss) => loss.dirty + loss.untracked + loss.unmerged > 0;

function LossList({ loss, base }: { loss: Loss; base: string | null }) {
  return (
    <ul>
      {loss.dirty > 0 && <li>{tn("remove.dirty", loss.dirty)}</li>}
      {loss.untracked > 0 && <li>{tn("remove.untracked", loss.untracked)}</li>}
      {loss.unmerged > 0 && <li>{tn("remove.unmerged", loss.unmerged, { base: base ?? "" })}</li>}
    </ul>
  );
}

/** A worktree is not removed under an agent. */
function AgentsHere({ agents }: { agents: Agent[] }) {
  const [isEnding, setIsEnding] = useState(false);
  const end = async () => {
    setIsEnding(true);
    await Promise.all(agents.map((agent) => api.end(agent.id))).catch(tell);
    setIsEnding(false);
  };
  return (
    <div class="loss">
      <p>{t("remove.agents", { names: agents.map((agent) => agent.handle).join(", ") })}</p>
      <button type="button" class="button small" disabled={isEnding} onClick={() => void end()}>
        {isEnding ? t("info.ending") : t("remove.endAgents")}
      </button>
    </div>
  );
}

function lossIn(body: Record<string, unknown>): Loss {
  const count = (name: string) => (typeof body[name] === "number" ? body[name] : 0);
  return { dirty: count("dirty"), untracked: count("untracked"), unmerged: count("unmerged") };
}
