// How a worktree stands to its base: what is not committed, what is not merged, what it lacks.

import { t } from "../text";
import type { Worktree } from "../types";

export function WorktreeFacts({ tree }: { tree: Worktree }) {
  if (tree.missing) return <span class="fact is-bad">{t("worktrees.missing")}</span>;
  const isClean = tree.dirty === 0 && tree.untracked === 0;
  return (
    <span class="worktree-facts">
      {isClean ? <span class="fact">{t("worktrees.clean")}</span> : null}
      {tree.dirty > 0 && <span class="fact is-dirty">{t("worktrees.dirty", { n: tree.dirty })}</span>}
      {tree.untracked > 0 && <span class="fact is-dirty">{t("worktrees.untracked", { n: tree.untracked })}</span>}
      {!tree.main && tree.base && (
        <span class="fact" title={t("worktrees.against", { base: tree.base })}>
          ↑{tree.ahead} ↓{tree.behind} {tree.base}
        </span>
      )}
      {tree.locked && <span class="fact">{t("worktrees.locked")}</span>}
    </span>
  );
}
