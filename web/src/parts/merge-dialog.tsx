// Merges a worktree's branch. What is not committed is committed first, if a message is given; a conflict changes nothing.

import { api, Refused } from "../api";
import { toast } from "../state/toasts";
import { t, tn } from "../text";
import type { Worktree } from "../types";
import { reasonOf } from "./failure";
import { fieldIn, FormDialog } from "./form-dialog";

type Props = { tree: Worktree; onClose: () => void; onDone: () => void };

export function MergeDialog({ tree, onClose, onDone }: Props) {
  const left = tree.dirty + tree.untracked;
  const into = tree.base ?? "?";
  const merge = async (said: FormData) => {
    const commit = fieldIn(said, "commit");
    const done = await api.merge(tree.id, commit === "" ? {} : { commit });
    toast("good", t("merge.done", { branch: tree.branch ?? "", into: done.into }));
    onDone();
  };
  return (
    <FormDialog title={t("merge.title", { branch: tree.branch ?? tree.name })} act={t("merge.do", { into })} busy={t("merge.busy")} onClose={onClose} onSubmit={merge} explain={conflictIn}>
      <p>{tn("merge.text", tree.ahead, { into })}</p>
      {left > 0 && (
        <label>
          <span>{tn("merge.commit", left)}</span>
          <input name="commit" required autocomplete="off" defaultValue="" placeholder={t("merge.commitHint")} />
        </label>
      )}
    </FormDialog>
  );
}

function conflictIn(error: unknown) {
  const files = error instanceof Refused && Array.isArray(error.body["files"]) ? (error.body["files"] as string[]) : [];
  const isInto = error instanceof Refused && error.code === "dirty" && error.body["where"] === "into";
  return (
    <>
      <p>{isInto ? t("merge.intoDirty") : reasonOf(error)}</p>
      {files.length > 0 && (
        <ul>
          {files.map((file) => (
            <li key={file}>{file}</li>
          ))}
        </ul>
      )}
    </>
  );
}
