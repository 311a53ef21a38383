// Changed lines, with the numbers they have before and after, coloured as code of their file. Where there is somebody to
// send them to, lines take comments.

import { Fragment } from "preact";
import { useMemo, useState } from "preact/hooks";
import { rows, sideOf, type Row } from "../state/patch";
import { addRemark, remarksOn, removeRemark } from "../state/review";
import { t } from "../text";
import { Chunked } from "./chunked";
import { endingOf, Tokens, useHighlight } from "./code-lines";
import { RemarkForm, RemarkView } from "./remark-row";

const SIGN = { add: "+", del: "−", same: " ", hunk: "", note: "" } as const;
const CHUNK_ROWS = 200;

/** `worktree`: the one whose changes these are, if they can be commented on. */
type Props = { path: string; patch: string; worktree?: string | undefined };

export function DiffView({ path, patch, worktree }: Props) {
  const all = useMemo(() => rows(patch), [patch]);
  // The code before and the code after are read apart: together they would be no code.
  const [before, after] = useMemo(() => [sideOf(all, "add"), sideOf(all, "del")], [all]);
  const language = endingOf(path);
  const [old, fresh] = [useHighlight(before, language), useHighlight(after, language)];
  const [writing, setWriting] = useState<number | null>(null);
  const line = (row: Row, at: number) => {
    const tokens = row.kind === "hunk" ? undefined : (row.kind === "del" ? old : fresh)?.[at];
    const number = row.new ?? row.old;
    const said = worktree === undefined || number === null ? [] : remarksOn(worktree).filter((one) => one.path === path && one.line === number && one.isOld === (row.kind === "del"));
    const add = (text: string) => {
      setWriting(null);
      if (worktree !== undefined && number !== null) addRemark(worktree, { path, line: number, isOld: row.kind === "del", code: row.text, text });
    };
    return (
      <Fragment key={at}>
        <tr class={`diff-${row.kind}`}>
          <td class="diff-number">{row.old ?? ""}</td>
          <td class="diff-number">
            {row.new ?? ""}
            {worktree !== undefined && number !== null && (
              <button type="button" class="remark-button" aria-label={t("review.line", { n: number })} aria-expanded={writing === at} onClick={() => setWriting(writing === at ? null : at)}>
                +
              </button>
            )}
          </td>
          <td class="diff-text">
            <span class="diff-sign">{SIGN[row.kind]}</span>
            {tokens ? <Tokens tokens={tokens} /> : row.text}
          </td>
        </tr>
        {(said.length > 0 || writing === at) && (
          <tr>
            <td colSpan={3} class="remark-cell">
              {worktree !== undefined && said.map((one) => <RemarkView key={one.text} text={one.text} onRemove={() => removeRemark(worktree, one)} />)}
              {writing === at && <RemarkForm onAdd={add} onClose={() => setWriting(null)} />}
            </td>
          </tr>
        )}
      </Fragment>
    );
  };
  const chunk = (index: number) => (
    <table>
      <tbody>{all.slice(index * CHUNK_ROWS, (index + 1) * CHUNK_ROWS).map((row, at) => line(row, index * CHUNK_ROWS + at))}</tbody>
    </table>
  );
  return (
    <div class="diff" role="region" tabIndex={0} aria-label={t("diff.label")}>
      <Chunked count={Math.max(1, Math.ceil(all.length / CHUNK_ROWS))} render={chunk} />
    </div>
  );
}
