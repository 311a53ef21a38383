// Merges a worktree's branch. What is not committed is committed first, if a message is given; a conflict changes nothing.

import { useState } from "preact/hooks";
import { api, Refused } from "../api";
import { toast } from "../state/toasts";
import { t, tn } from "../text";
import type { Worktree } from "../types";
import { Dialog } from "./dialog";
import { reasonOf } from "./failure";

type Props = { tree: Worktree; onClose: () => void; onDone: () => void };

export function MergeDialog({ tree, onClose, onDone }: Props) {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<{ text: string; files: string[] } | null>(null);
  const left = tree.dirty + tree.untracked;
  const merge = async (form: HTMLFormElement) => {
    const said = new FormData(form);
    const commit = String(said.get("commit") ?? "").trim();
    setIsBusy(true);
    setProblem(null);
    try {
      const done = await api.merge(tree.id, commit === "" ? {} : { commit });
      toast("good", t("merge.done", { branch: tree.branch ?? "", into: done.into }));
      onClose();
      onDone();
    } catch (error) {
      const files = error instanceof Refused && Array.isArray(error.body["files"]) ? (error.body["files"] as string[]) : [];
      const isInto = error instanceof Refused && error.code === "dirty" && error.body["where"] === "into";
      setProblem({ text: isInto ? t("merge.intoDirty") : reasonOf(error), files });
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={t("merge.title", { branch: tree.branch ?? tree.name })} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void merge(event.currentTarget);
        }}
      >
        <p>{tn("merge.text", tree.ahead, { into: tree.base ?? "?" })}</p>
        {left > 0 && (
          <label>
            <span>{tn("merge.commit", left)}</span>
            <input name="commit" required autocomplete="off" defaultValue="" placeholder={t("merge.commitHint")} />
          </label>
        )}
        {problem && (
          <div class="problem" role="alert">
            <p>{problem.text}</p>
            {problem.files.length > 0 && (
              <ul>
                {problem.files.map((file) => (
                  <li key={file}>{file}</li>
                ))}
              </ul>
            )}
          </div>
        )}
        <div class="form-acts">
          <button type="button" class="button" onClick={onClose}>
            {t("act.cancel")}
          </button>
          <button type="submit" class="button primary" disabled={isBusy}>
            {isBusy ? t("merge.busy") : t("merge.do", { into: tree.base ?? "?" })}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
