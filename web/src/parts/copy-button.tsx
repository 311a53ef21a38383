// Copies a text and says that it did.

import { useState } from "preact/hooks";
import { t } from "../text";
import { tell } from "./failure";
import { Icon, type IconName } from "./icon";

const SHOWN_MS = 1_500;

export function CopyButton({ text }: { text: string }) {
  const { isDone, copy } = useCopy(() => text);
  return (
    <button type="button" class="chip-button" onClick={copy}>
      <Icon name="copy" />
      <span>{isDone ? t("act.copied") : t("act.copy")}</span>
    </button>
  );
}

type IconProps = { label: string; done?: string; icon?: IconName; text: () => string; hasWord?: boolean };

/** The same where a word has no room, or is not asked for. */
export function CopyIcon({ label, done = t("act.copied"), icon = "copy", text, hasWord = false }: IconProps) {
  const { isDone, copy } = useCopy(text);
  const name = isDone ? done : label;
  return (
    <button type="button" class="icon-button small" aria-label={name} title={name} onClick={copy}>
      <Icon name={isDone ? "check" : icon} />
      {hasWord && <span>{name}</span>}
    </button>
  );
}

function useCopy(text: () => string): { isDone: boolean; copy: () => void } {
  const [isDone, setIsDone] = useState(false);
  const copy = () => {
    copyText(text()).then(() => {
      setIsDone(true);
      window.setTimeout(() => setIsDone(false), SHOWN_MS);
    }, tell);
  };
  return { isDone, copy };
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
