// The rail where there is no room for it beside the screen.

import { useEffect, useRef } from "preact/hooks";
import { prefer, prefs } from "../state/prefs";
import { isWide } from "../state/window";
import { t } from "../text";
import { closeOverlay } from "./overlays";
import { Rail } from "./rail";

function pin(): void {
  prefer({ railClosed: false });
  closeOverlay();
}

export function RailDrawer() {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (box.current && !box.current.open) box.current.showModal();
  }, []);
  return (
    <dialog ref={box} class="drawer" aria-label={t("nav.label")} onCancel={closeOverlay} onClick={(event) => event.target === box.current && closeOverlay()}>
      {prefs.value.railClosed && isWide.value && (
        <button type="button" class="button small rail-pin" onClick={pin}>
          {t("nav.pin")}
        </button>
      )}
      <Rail onGo={closeOverlay} />
    </dialog>
  );
}
