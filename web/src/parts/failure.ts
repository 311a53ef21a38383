// Tells a person what went wrong with something they asked for.

import { NoAnswer, Refused } from "../api";
import { toast } from "../state/toasts";
import { refusal, t } from "../text";

export function reasonOf(error: unknown): string {
  if (error instanceof Refused) return refusal(error.code, error.message);
  if (error instanceof NoAnswer) return t("stop.network");
  return String(error);
}

export function tell(error: unknown): void {
  toast("bad", reasonOf(error));
}
