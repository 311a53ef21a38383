// What is said about a changed line: a field to write it, or the comment itself.

import { useEffect, useRef } from "preact/hooks";
import { t } from "../text";
import { Icon } from "./icon";

export function RemarkForm({ onAdd, onClose }: { onAdd: (text: string) => void; onClose: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const add = () => {
    const text = field.current?.value.trim() ?? "";
    if (text === "") field.current?.focus();
    else onAdd(text);
  };
  return (
    <form
      class="remark-form"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Escape") onClose();
        if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) add();
      }}
    >
      <textarea ref={field} rows={2} aria-label={t("review.field")} placeholder={t("review.hint")} />
      <div class="form-acts">
        <button type="button" class="button small" onClick={onClose}>
          {t("act.cancel")}
        </button>
        <button type="submit" class="button small primary">
          {t("review.add")}
        </button>
      </div>
    </form>
  );
}

export function RemarkView({ text, onRemove }: { text: string; onRemove: () => void }) {
  return (
    <div class="remark">
      <span>{text}</span>
      <button type="button" class="icon-button small" aria-label={t("review.remove")} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </div>
  );
}
