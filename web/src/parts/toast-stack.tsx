// Toasts, and the live region that says them and other news aloud.

import { announcement, dismiss, toasts } from "../state/toasts";
import { t } from "../text";
import { Icon } from "./icon";

export function ToastStack() {
  return (
    <div class="toasts">
      {toasts.value.map((toast) => (
        <div key={toast.id} class={`toast toast-${toast.tone}`} data-testid="toast">
          <span class="toast-text">{toast.text}</span>
          {toast.acts.map((act) => (
            <button
              type="button"
              class="button small"
              onClick={() => {
                dismiss(toast.id);
                act.run();
              }}
            >
              {act.label}
            </button>
          ))}
          <button type="button" class="icon-button small" aria-label={t("act.dismiss")} onClick={() => dismiss(toast.id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

export function LiveRegion() {
  return (
    <div class="visually-hidden" role="status" aria-live="polite">
      {announcement.value}
    </div>
  );
}
