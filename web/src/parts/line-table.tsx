// Lines of a file or of its changes, with their numbers and colours. Where there is somebody to send them to, lines take
// comments.

import { Fragment } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { sideOf, type Row } from "../state/patch";
import { addRemark, remarksOn, removeRemark } from "../state/review";
import { t } from "../text";
import { Chunked } from "./chunked";
import { endingOf, Tokens, useHighlight } from "./code-lines";
import { RemarkForm, RemarkView } from "./remark-row";

const SIGN = { add: "+", del: "−", same: " ", hunk: "", note: "" } as const;
const CHUNK_ROWS = 200;

/** `isFile`: the lines of a file as it is, so there is one number and no sign. `worktree`: where they can be commented on. */
type Props = { path: string; rows: Row[]; worktree?: string | undefined; label: string; isFile?: boolean };
/** The row that is commented on, and the last line that is meant. */
type Writing = { at: number; last: number };

export function LineTable({ path, rows, worktree, label, isFile = false }: Props) {
  const [writing, setWriting] = useState<Writing | null>(null);
  // What is commented on stays as it is until that is done, whatever becomes of the file meanwhile.
  const seen = useRef(rows);
  if (writing === null) seen.current = rows;
  const all = seen.current;
  // The code before and the code after are read apart: together they would be no code.
  const [before, after] = useMemo(() => [isFile ? "" : sideOf(all, "add"), sideOf(all, "del")], [all]);
  const language = endingOf(path);
  const [old, fresh] = [useHighlight(before, isFile ? "" : language), useHighlight(after, language)];
  const begun = writing === null ? undefined : all[writing.at];
  const line = (row: Row, at: number) => {
    const tokens = row.kind === "hunk" ? undefined : (row.kind === "del" ? old : fresh)?.[at];
    const number = row.new ?? row.old;
    const isOld = row.kind === "del";
    const said = worktree === undefined || number === null ? [] : remarksOn(worktree).filter((one) => one.path === path && one.line === number && one.isOld === isOld);
    const isBegun = writing?.at === at;
    const isMeant = writing !== null && begun !== undefined && number !== null && (begun.kind === "del") === isOld && number >= (numberOf(begun) ?? 0) && number <= writing.last;
    const press = (event: MouseEvent) => {
      if (number === null) return;
      // With Shift the comment that is begun reaches down to here.
      if (event.shiftKey && writing !== null && at > writing.at) setWriting({ ...writing, last: number });
      else setWriting(isBegun ? null : { at, last: number });
    };
    const add = (text: string) => {
      if (worktree === undefined || number === null || writing === null) return;
      const code = side(all, isOld).filter((one) => isBetween(one, number, writing.last)).map((one) => one.text).join("\n");
      addRemark(worktree, { path, line: number, last: writing.last, isOld, code, text });
      setWriting(null);
    };
    return (
      <Fragment key={at}>
        <tr class={`diff-${row.kind}${isMeant ? " is-commented" : ""}`}>
          {!isFile && <td class="diff-number">{row.old ?? ""}</td>}
          <td class="diff-number">
            {row.new ?? ""}
            {worktree !== undefined && number !== null && (
              <button type="button" class="remark-button" aria-label={t("review.line", { n: number })} title={t("review.rangeHint")} aria-expanded={isBegun} onClick={press}>
                +
              </button>
            )}
          </td>
          <td class="diff-text">
            {!isFile && <span class="diff-sign">{SIGN[row.kind]}</span>}
            {tokens ? <Tokens tokens={tokens} /> : row.text}
          </td>
        </tr>
        {(said.length > 0 || isBegun) && (
          <tr>
            <td colSpan={isFile ? 2 : 3} class="remark-cell">
              {worktree !== undefined && said.map((one) => <RemarkView key={one.text} remark={one} onRemove={() => removeRemark(worktree, one)} />)}
              {isBegun && number !== null && (
                <RemarkForm line={number} last={writing.last} most={lastOf(all, at, isOld)} onLast={(last) => setWriting({ at, last })} onAdd={add} onClose={() => setWriting(null)} />
              )}
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
    <div class={`diff${isFile ? " code numbered" : ""}`} role="region" tabIndex={0} aria-label={label}>
      <Chunked count={Math.max(1, Math.ceil(all.length / CHUNK_ROWS))} render={chunk} />
    </div>
  );
}

const numberOf = (row: Row) => row.new ?? row.old;
const side = (all: readonly Row[], isOld: boolean) => all.filter((row) => (row.kind === "del") === isOld);
const isBetween = (row: Row, first: number, last: number) => {
  const number = numberOf(row);
  return number !== null && number >= first && number <= last;
};

/** The last line of the same side that follows without a gap, so that what is quoted is what stands there. */
function lastOf(all: readonly Row[], at: number, isOld: boolean): number {
  let last = 0;
  for (const row of all.slice(at)) {
    if (row.kind === "hunk") break;
    if ((row.kind === "del") === isOld && row.kind !== "note") last = numberOf(row) ?? last;
  }
  return last;
}
