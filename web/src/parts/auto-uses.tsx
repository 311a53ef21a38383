// What rules answered, the latest first.

import { aboutOf, chosenIn } from "../state/auto-answer";
import { agentUrl } from "../state/route";
import { t } from "../text";
import type { Used } from "../types";
import { Since } from "./since";

const MOST = 20;

/** Where they are of one agent, its name goes without saying. */
export function AutoUses({ used, isOfOne }: { used: readonly Used[]; isOfOne: boolean }) {
  return (
    <ul class="auto-uses">
      {used.slice(0, MOST).map((one) => (
        <li key={`${one.at}${one.agent}`}>
          {!isOfOne && (
            <a class="agent-name" href={agentUrl(one.agent)}>
              {one.handle}
            </a>
          )}
          <span class="auto-value">{chosenIn(one)}</span>
          <span class="auto-about">{aboutOf(one)}</span>
          <Since at={one.at} />
        </li>
      ))}
    </ul>
  );
}

/** How many answers of rules a person may have missed, folded. */
export function AutoUsesFold({ used }: { used: readonly Used[] }) {
  if (used.length === 0) return null;
  return (
    <details class="inbox-auto">
      <summary>{t("auto.used", { n: used.length })}</summary>
      <AutoUses used={used} isOfOne={false} />
    </details>
  );
}
