// Removes a worktree. Nothing is lost silently: what is not committed or not merged is counted, and only a second,
// explicit word removes it; if the counts changed meanwhile the hub refuses again.

import { useState } from "preact/hooks";
import { api, Refused } from "../api";
import { go } from "../state/route";
import { toast } from "../state/toasts";
import { t, tn } from "../text";
import type { Worktree } from "../types";
import { Dialog } from "./dialog";
import { reasonOf } from "./failure";

type Loss = { dirty: number; untracked: number; unmerged: number };

export function RemoveDialog({ tree, onClose }: { tree: Worktree; onClose: () => void }) {
  const [isBusy, setIsBusy] = useState(false);
  const [loss, setLoss] = useState<Loss | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [deletesBranch, setDeletesBranch] = useState(false);
  const remove = async () => {
    setIsBusy(true);
    setProblem(null);
    try {
      const forced: Record<string, string | number | boolean> = loss === null ? {} : { force: true, ...loss };
      await api.removeWorktree(tree.id, { ...forced, ...(deletesBranch && { branch: "delete" }) });
      toast("good", t("remove.done", { name: tree.name }));
      go("/w", "replace");
    } catch (error) {
      if (error instanceof Refused && (error.code === "dirty" || error.code === "unmerged")) setLoss(lossIn(error.body));
      else setProblem(reasonOf(error));
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={t("remove.title", { name: tree.name })} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void remove();
        }}
      >
        <p>{t("remove.text", { path: tree.path })}</p>
        <label class="check">
          <input type="checkbox" checked={deletesBranch} onChange={(event) => setDeletesBranch(event.currentTarget.checked)} />
          {t("remove.branch", { branch: tree.branch ?? "" })}
        </label>
        {loss && (
          <div class="problem" role="alert" data-testid="loss">
            <p>{t("remove.refused")}</p>
            <ul>
              {loss.dirty > 0 && <li>{tn("remove.dirty", loss.dirty)}</li>}
              {loss.untracked > 0 && <li>{tn("remove.untracked", loss.untracked)}</li>}
              {loss.unmerged > 0 && <li>{tn("remove.unmerged", loss.unmerged, { base: tree.base ?? "" })}</li>}
            </ul>
          </div>
        )}
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="form-acts">
          <button type="button" class="button" onClick={onClose}>
            {t("remove.keep")}
          </button>
          <button type="submit" class="button danger" disabled={isBusy}>
            {isBusy ? t("remove.busy") : loss ? t("remove.force") : t("remove.do")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function lossIn(body: Record<string, unknown>): Loss {
  const count = (name: string) => (typeof body[name] === "number" ? body[name] : 0);
  return { dirty: count("dirty"), untracked: count("untracked"), unmerged: count("unmerged") };
}
