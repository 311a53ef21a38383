// Says that a message goes to another agent, and how.

import { t } from "../text";

export type TargetWish = { response: boolean; priority: number };

type Props = { from: string; to: string; wish: TargetWish; onWish: (wish: TargetWish) => void };

const INTERRUPTS = 5;

export function TargetChip({ from, to, wish, onWish }: Props) {
  return (
    <div class="target">
      <span class="route-chip">
        @{from} → @{to}
      </span>
      <label class="check">
        <input type="checkbox" checked={wish.response} onChange={(event) => onWish({ ...wish, response: event.currentTarget.checked })} />
        {t("bar.response")}
      </label>
      <label class="check">
        {t("bar.priority")}
        <select value={String(wish.priority)} onChange={(event) => onWish({ ...wish, priority: Number(event.currentTarget.value) })}>
          {[1, 2, 3, 4, 5].map((priority) => (
            <option key={priority} value={String(priority)}>
              {priority}
            </option>
          ))}
        </select>
      </label>
      {wish.priority === INTERRUPTS && <span class="warning">{t("bar.interrupts", { name: to })}</span>}
    </div>
  );
}
