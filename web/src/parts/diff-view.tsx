// Changed lines, with the numbers they have before and after, coloured as code of their file.

import { useMemo } from "preact/hooks";
import { rows, sideOf } from "../state/patch";
import { t } from "../text";
import { Chunked } from "./chunked";
import { endingOf, Tokens, useHighlight } from "./code-lines";

const SIGN = { add: "+", del: "−", same: " ", hunk: "", note: "" } as const;
const CHUNK_ROWS = 200;

export function DiffView({ path, patch }: { path: string; patch: string }) {
  const all = useMemo(() => rows(patch), [patch]);
  // The code before and the code after are read apart: together they would be no code.
  const [before, after] = useMemo(() => [sideOf(all, "add"), sideOf(all, "del")], [all]);
  const language = endingOf(path);
  const [old, fresh] = [useHighlight(before, language), useHighlight(after, language)];
  const chunk = (index: number) => (
    <table>
      <tbody>
        {all.slice(index * CHUNK_ROWS, (index + 1) * CHUNK_ROWS).map((row, at) => {
          const tokens = row.kind === "hunk" ? undefined : (row.kind === "del" ? old : fresh)?.[index * CHUNK_ROWS + at];
          return (
            <tr key={at} class={`diff-${row.kind}`}>
              <td class="diff-number">{row.old ?? ""}</td>
              <td class="diff-number">{row.new ?? ""}</td>
              <td class="diff-text">
                <span class="diff-sign">{SIGN[row.kind]}</span>
                {tokens ? <Tokens tokens={tokens} /> : row.text}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
  return (
    <div class="diff" role="region" tabIndex={0} aria-label={t("diff.label")}>
      <Chunked count={Math.max(1, Math.ceil(all.length / CHUNK_ROWS))} render={chunk} />
    </div>
  );
}
