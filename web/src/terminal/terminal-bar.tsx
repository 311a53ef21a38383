// What can be done with a terminal: type into it, take its size, change its letters, search it, copy from it.

import type { ComponentChildren } from "preact";
import { Icon } from "../parts/icon";
import { isReadOnly } from "../state/world";
import { t } from "../text";

type Toggle = { isOn: boolean; set: (isOn: boolean) => void };
type Props = {
  handle: string;
  typing: Toggle;
  /** The program is drawn for this window. */
  fit: Toggle;
  whole: Toggle;
  searching: Toggle;
  onFont: (by: number) => void;
  onCopy: () => void;
};

export function TerminalBar({ handle, typing, fit, whole, searching, onFont, onCopy }: Props) {
  return (
    <div class="terminal-bar" role="toolbar" aria-label={t("terminal.tools")}>
      {!isReadOnly.value && (
        <button type="button" class="chip-button strong" aria-pressed={typing.isOn} onClick={() => typing.set(!typing.isOn)}>
          <Icon name="keyboard" />
          <span>{typing.isOn ? t("terminal.keysGo", { name: handle }) : t("terminal.type")}</span>
        </button>
      )}
      <span class="head-gap" />
      {!isReadOnly.value && (
        <button type="button" class="chip-button" aria-pressed={fit.isOn} title={t("terminal.fitHint")} onClick={() => fit.set(!fit.isOn)}>
          {t("terminal.fit")}
        </button>
      )}
      {!fit.isOn && (
        <button type="button" class="chip-button" aria-pressed={whole.isOn} onClick={() => whole.set(!whole.isOn)}>
          {t("terminal.scale")}
        </button>
      )}
      <LetterButton sign="A−" label={t("terminal.smaller")} onClick={() => onFont(-1)} />
      <LetterButton sign="A+" label={t("terminal.larger")} onClick={() => onFont(1)} />
      <IconButton label={t("terminal.search")} isPressed={searching.isOn} onClick={() => searching.set(!searching.isOn)}>
        <Icon name="search" />
      </IconButton>
      <IconButton label={t("terminal.copy")} onClick={onCopy}>
        <Icon name="copy" />
      </IconButton>
    </div>
  );
}

function LetterButton({ sign, label, onClick }: { sign: string; label: string; onClick: () => void }) {
  return (
    <button type="button" class="chip-button" onClick={onClick}>
      <span aria-hidden="true">{sign}</span>
      <span class="visually-hidden">{label}</span>
    </button>
  );
}

function IconButton({ label, isPressed, onClick, children }: { label: string; isPressed?: boolean; onClick: () => void; children: ComponentChildren }) {
  return (
    <button type="button" class="icon-button small" aria-label={label} aria-pressed={isPressed} onClick={onClick}>
      {children}
    </button>
  );
}
