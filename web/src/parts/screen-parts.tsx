// How an agent's screen is read: each row tinted by what it was taken for. Fetched when shown.

import { api } from "../api";
import { t } from "../text";
import { useFetched } from "./use-fetched";

export function ScreenParts({ agent, version }: { agent: string; version: string }) {
  const found = useFetched(() => api.explain(agent), [agent, version]);
  if (!found.value) return <p>{found.error === null ? t("state.loading") : t("screen.unreachable")}</p>;
  return (
    <>
      <dl class="facts">
        {found.value.witnesses.map(({ witness, says }) => (
          <>
            <dt>{witness}</dt>
            <dd>{says}</dd>
          </>
        ))}
      </dl>
      <div class="screen-parts" tabIndex={0} role="table" aria-label={t("info.read")}>
        {found.value.rows
          .filter((row) => row.part !== "blank")
          .map((row, index) => (
            <div key={index} role="row" class={`screen-part is-${row.part}`} title={row.why}>
              <span role="cell" class="part-name">
                {row.part}
              </span>
              <span role="cell" class="part-text">
                {row.text}
              </span>
            </div>
          ))}
      </div>
    </>
  );
}
