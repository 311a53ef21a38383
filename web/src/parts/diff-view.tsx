// Changed lines, with the numbers they have before and after.

import { rows } from "../state/patch";
import { t } from "../text";

const SIGN = { add: "+", del: "−", same: " ", hunk: "", note: "" } as const;

export function DiffView({ patch }: { patch: string }) {
  return (
    <div class="diff" role="region" tabIndex={0} aria-label={t("diff.label")}>
      <table>
        <tbody>
          {rows(patch).map((row, index) => (
            <tr key={index} class={`diff-${row.kind}`}>
              <td class="diff-number">{row.old ?? ""}</td>
              <td class="diff-number">{row.new ?? ""}</td>
              <td class="diff-text">
                <span class="diff-sign">{SIGN[row.kind]}</span>
                {row.text}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
