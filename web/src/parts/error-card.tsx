// What went wrong, with its code, and a way to try again.

import { t } from "../text";
import { PlainText } from "./plain-text";

export function ErrorCard({ code, text, onRetry }: { code: string; text: string; onRetry?: (() => void) | undefined }) {
  return (
    <div class="card error-card" role="group" aria-label={t("error.title")}>
      <div class="card-head">
        <span class="card-title">{t("error.title")}</span>
        <span class="card-note">{code}</span>
        {onRetry && (
          <button type="button" class="chip-button" onClick={onRetry}>
            {t("act.retry")}
          </button>
        )}
      </div>
      <p class="prose">
        <PlainText text={text} />
      </p>
    </div>
  );
}
