// Single keys for what nobody recognised, and for phones, which have none of them.

import { t } from "../text";

const CTRL = "Ctrl";
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

type Props = {
  onKey: (key: string) => void;
  isDisabled?: boolean;
  /** Ctrl for the next key that is typed, where keys are typed. */
  ctrl?: { isOn: boolean; set: (isOn: boolean) => void };
};

export function KeyRow({ onKey, isDisabled = false, ctrl }: Props) {
  return (
    <div class="key-row" role="group" aria-label={t("keys.row")}>
      {KEYS.map(({ label, key }) => (
        <button type="button" class="key" key={key} disabled={isDisabled} onClick={() => onKey(key)}>
          <span aria-hidden="true">{label}</span>
          <span class="visually-hidden">{t("keys.send", { key })}</span>
        </button>
      ))}
      {ctrl && (
        <button type="button" class="key" aria-pressed={ctrl.isOn} title={t("keys.ctrl")} onClick={() => ctrl.set(!ctrl.isOn)}>
          <span aria-hidden="true">{CTRL}</span>
          <span class="visually-hidden">{t("keys.ctrl")}</span>
        </button>
      )}
    </div>
  );
}
