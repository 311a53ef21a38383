// What is said about lines: a field to write it, or the comment itself.

import { useEffect, useRef } from "preact/hooks";
import { placeOf, type Remark } from "../state/review";
import { t } from "../text";
import { Icon } from "./icon";

type FormProps = {
  line: number;
  /** How far the comment reaches, and how far it can. */
  last: number;
  most: number;
  onLast: (last: number) => void;
  onAdd: (text: string) => void;
  onClose: () => void;
};

export function RemarkForm({ line, last, most, onLast, onAdd, onClose }: FormProps) {
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
        {most > line && (
          <label class="remark-lines">
            {t("review.upTo", { n: line })}
            <input type="number" min={line} max={most} value={last} aria-label={t("review.last")} onInput={(event) => onLast(Math.min(most, Math.max(line, event.currentTarget.valueAsNumber || line)))} />
          </label>
        )}
        <span class="head-gap" />
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

export function RemarkView({ remark, onRemove }: { remark: Remark; onRemove: () => void }) {
  return (
    <div class="remark">
      <span>
        {remark.last !== undefined && remark.last > remark.line && <span class="card-note">{t("review.lines", { place: placeOf(remark) })} </span>}
        {remark.text}
      </span>
      <button type="button" class="icon-button small" aria-label={t("review.remove")} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </div>
  );
}
