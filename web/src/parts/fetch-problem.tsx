// Something could not be fetched: why, and another try.

import { t } from "../text";

export function FetchProblem({ text, again }: { text: string; again: () => void }) {
  return (
    <div class="card error-card" role="alert">
      <p>{text}</p>
      <button type="button" class="button small" onClick={again}>
        {t("act.retry")}
      </button>
    </div>
  );
}
