// A button that asks once more before it does something that cannot be undone.

import { useState } from "preact/hooks";
import { t } from "../text";

type Props = { label: string; confirm: string; isDisabled?: boolean; onConfirm: () => void };

export function ConfirmButton({ label, confirm, isDisabled = false, onConfirm }: Props) {
  const [isAsking, setIsAsking] = useState(false);
  if (!isAsking) {
    return (
      <button type="button" class="button danger" disabled={isDisabled} onClick={() => setIsAsking(true)}>
        {label}
      </button>
    );
  }
  return (
    <span class="confirm" role="group" aria-label={confirm}>
      <span>{confirm}</span>
      <button
        type="button"
        class="button danger"
        onClick={() => {
          setIsAsking(false);
          onConfirm();
        }}
      >
        {label}
      </button>
      <button type="button" class="button" onClick={() => setIsAsking(false)}>
        {t("act.cancel")}
      </button>
    </span>
  );
}
