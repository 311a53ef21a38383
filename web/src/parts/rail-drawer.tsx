// The rail where there is no room for it beside the screen.

import { useEffect, useRef } from "preact/hooks";
import { t } from "../text";
import { closeOverlay } from "./overlays";
import { Rail } from "./rail";

export function RailDrawer() {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (box.current && !box.current.open) box.current.showModal();
  }, []);
  return (
    <dialog ref={box} class="drawer" aria-label={t("nav.label")} onCancel={closeOverlay} onClick={(event) => event.target === box.current && closeOverlay()}>
      <Rail onGo={closeOverlay} />
    </dialog>
  );
}
