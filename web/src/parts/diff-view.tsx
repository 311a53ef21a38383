// Changed lines, with the numbers they have before and after, coloured as code of their file.

import { useMemo } from "preact/hooks";
import { rows } from "../state/patch";
import { t } from "../text";
import { LineTable } from "./line-table";

/** `worktree`: the one whose changes these are, if they can be commented on. */
type Props = { path: string; patch: string; worktree?: string | undefined };

export function DiffView({ path, patch, worktree }: Props) {
  const all = useMemo(() => rows(patch), [patch]);
  return <LineTable path={path} rows={all} worktree={worktree} label={t("diff.label")} />;
}
