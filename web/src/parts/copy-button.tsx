// Copies a text and says that it did.

import { useState } from "preact/hooks";
import { t } from "../text";
import { tell } from "./failure";
import { Icon } from "./icon";

const SHOWN_MS = 1_500;

export function CopyButton({ text }: { text: string }) {
  const [isDone, setIsDone] = useState(false);
  const copy = async () => {
    try {
      await copyText(text);
      setIsDone(true);
      window.setTimeout(() => setIsDone(false), SHOWN_MS);
    } catch (error) {
      tell(error);
    }
  };
  return (
    <button type="button" class="chip-button" onClick={() => void copy()}>
      <Icon name="copy" />
      <span>{isDone ? t("act.copied") : t("act.copy")}</span>
    </button>
  );
}

/** The clipboard of a page that came over plain HTTP from another machine is closed; a selection is not. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const isDone = document.execCommand("copy");
  field.remove();
  if (!isDone) throw new Error(t("error.clipboard"));
}
