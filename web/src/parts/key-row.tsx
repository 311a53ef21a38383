// Single keys for what nobody recognised, and for phones, which have none of them.

import { t } from "../text";

const KEYS: readonly { label: string; key: string }[] = [
  { label: "Esc", key: "Escape" },
  { label: "Tab", key: "Tab" },
  { label: "⇧Tab", key: "BTab" },
  { label: "↑", key: "Up" },
  { label: "↓", key: "Down" },
  { label: "←", key: "Left" },
  { label: "→", key: "Right" },
  { label: "Enter", key: "Enter" },
  { label: "^C", key: "C-c" },
  { label: "^D", key: "C-d" },
];

export function KeyRow({ onKey, isDisabled = false }: { onKey: (key: string) => void; isDisabled?: boolean }) {
  return (
    <div class="key-row" role="group" aria-label={t("keys.row")}>
      {KEYS.map(({ label, key }) => (
        <button type="button" class="key" key={key} disabled={isDisabled} onClick={() => onKey(key)}>
          <span aria-hidden="true">{label}</span>
          <span class="visually-hidden">{t("keys.send", { key })}</span>
        </button>
      ))}
    </div>
  );
}
