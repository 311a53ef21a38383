// A field for an answer in words. A password stays nowhere, not even in the field.

import { useRef } from "preact/hooks";
import { t } from "../text";

type Props = { isSecret: boolean; isOff: boolean; onAnswer: (value: string) => void };

export function AnswerField({ isSecret, isOff, onAnswer }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const label = isSecret ? t("prompt.password") : t("prompt.answer");
  return (
    <form
      class="answer-field"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        const input = field.current;
        if (!input) return;
        const { value } = input;
        if (isSecret) input.value = "";
        onAnswer(value);
      }}
    >
      {isSecret ? (
        <input ref={field} type="password" autocomplete="new-password" aria-label={label} placeholder={label} disabled={isOff} />
      ) : (
        <input ref={field} type="text" autocomplete="off" aria-label={label} placeholder={label} disabled={isOff} />
      )}
      <button type="submit" class="button primary" disabled={isOff}>
        {t("prompt.send")}
      </button>
    </form>
  );
}
