// What an agent does: a shape, a word and a colour, never the colour alone. From the hub only.

import type { JSX } from "preact";
import { isStale } from "../state/world";
import { t } from "../text";
import type { PromptKind, Status } from "../types";

const SHAPES: Record<Status, JSX.Element> = {
  starting: <circle cx="8" cy="8" r="5.5" fill="currentColor" />,
  working: (
    <>
      <circle cx="8" cy="8" r="5" fill="none" stroke="currentColor" stroke-width="2" />
      <path d="M8 3a5 5 0 0 1 0 10z" fill="currentColor" />
    </>
  ),
  waiting: <path d="M8 2 14.5 13.5h-13z" fill="currentColor" />,
  stopping: <rect x="3" y="3" width="10" height="10" rx="1" fill="currentColor" />,
  idle: <path d="M3 8.5l3.5 3.5L13 4.5" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round" />,
  failed: <path d="M4 4l8 8M12 4l-8 8" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" />,
  stopped: <circle cx="8" cy="8" r="5" fill="none" stroke="currentColor" stroke-width="2" />,
  away: <path d="M3.5 8h9" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" />,
};

type Props = { status: Status; kind?: PromptKind | undefined; isShort?: boolean };

export function Badge({ status, kind, isShort = false }: Props) {
  const stale = isStale.value ? " is-stale" : "";
  return (
    <span class={`badge badge-${status}${stale}${isShort ? " is-short" : ""}`} data-status={status} title={isStale.value ? t("status.stale") : undefined}>
      <svg viewBox="0 0 16 16" aria-hidden="true" class="badge-shape">
        {SHAPES[status]}
      </svg>
      <span class="badge-word">
        {t(`status.${status}`)}
        {kind && status === "waiting" && <span class="badge-kind"> · {t(`kind.${kind}`)}</span>}
      </span>
    </span>
  );
}
