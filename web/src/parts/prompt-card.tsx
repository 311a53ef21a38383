// A question of an agent, answered by a button. An answer carries the fingerprint of what was read, so that it can
// never reach another question.

import { useEffect, useRef, useState } from "preact/hooks";
import { api, Refused } from "../api";
import { isDefault, questionOf, takesText, valueOf, wantsKeys, wordOf } from "../state/prompt-answer";
import { prefs } from "../state/prefs";
import { announce } from "../state/toasts";
import { isReadOnly } from "../state/world";
import { t } from "../text";
import type { Prompt } from "../types";
import { AnswerField } from "./answer-field";
import { tell } from "./failure";
import { KeyRow } from "./key-row";
import { PlainText } from "./plain-text";
import { ScreenLines } from "./screen-lines";
import { Since } from "./since";

type Props = {
  agent: string;
  prompt: Prompt;
  /** Tells who asks, where that is not plain. */
  from?: string;
};

/** A person who has not typed for this long is not disturbed by a focus that moves. */
const IDLE_MS = 4_000;
let lastKeyAt = 0;
if (typeof document !== "undefined") document.addEventListener("keydown", () => (lastKeyAt = Date.now()), true);

export function PromptCard({ agent, prompt: given, from }: Props) {
  const [prompt, setPrompt] = useState(given);
  const [isChanged, setIsChanged] = useState(false);
  const [isSending, setIsSending] = useState(false);
  const [isTyping, setIsTyping] = useState(false);
  const [isScreenShown, setIsScreenShown] = useState(false);
  const card = useRef<HTMLElement>(null);

  useEffect(() => {
    // A card that is answered in place becomes the next question; say so if it was being read.
    if (given.id !== prompt.id || given.fingerprint !== prompt.fingerprint) {
      setPrompt(given);
      setIsSending(false);
      setIsTyping(false);
    }
  }, [given.id, given.fingerprint]);

  useEffect(() => {
    const isUserIdle = Date.now() - lastKeyAt > IDLE_MS && (document.activeElement === null || document.activeElement === document.body);
    if (isUserIdle) card.current?.focus({ preventScroll: true });
  }, [prompt.id]);

  const answer = async (value: string) => {
    if (isSending || isReadOnly.value) return;
    setIsSending(true);
    setIsChanged(false);
    try {
      await api.answer(agent, prompt, value);
    } catch (error) {
      if (error instanceof Refused && error.code === "prompt_changed") {
        setIsChanged(true);
        announce(t("prompt.changed"));
        const next = error.body["prompt"] as Prompt | null | undefined;
        if (next) setPrompt(next);
      } else tell(error);
      setIsSending(false);
    }
  };
  // A digit answers only the card that has the focus, so that no key meant for something else allows anything.
  const onKeyDown = (event: KeyboardEvent) => {
    if (!prefs.value.letterKeys || event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return;
    const index = /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : -1;
    if (!prompt.options[index]) return;
    event.preventDefault();
    void answer(valueOf(prompt, index));
  };

  const isOff = isSending || isReadOnly.value;
  const showsField = !isReadOnly.value && (takesText(prompt) || isTyping);
  return (
    <section ref={card} class="prompt-card" tabIndex={-1} onKeyDown={onKeyDown} aria-label={t("prompt.label", { kind: t(`kind.${prompt.kind}`) })} data-prompt={prompt.id}>
      {isChanged && (
        <p class="notice" role="alert">
          {t("prompt.changed")}
        </p>
      )}
      <div class="prompt-head">
        <span class="prompt-mark" aria-hidden="true">
          ▲
        </span>
        <span class="prompt-kind">
          {from ? `${from} · ` : ""}
          {t(`kind.${prompt.kind}`)}
        </span>
        <Since at={prompt.since} />
      </div>
      <p class="prompt-question">
        <PlainText text={questionOf(prompt) || t("prompt.unknown")} />
      </p>
      {prompt.detail !== "" && (
        <pre class="prompt-detail" tabIndex={0} aria-label={t("prompt.detail")}>
          {prompt.detail}
        </pre>
      )}
      <div class="prompt-options">
        {prompt.options.map((option, index) => (
          <button
            type="button"
            key={`${index}${option.label}`}
            class={`option${isDefault(prompt, index) ? " is-default" : ""}`}
            disabled={isOff}
            onClick={() => void answer(valueOf(prompt, index))}
          >
            <kbd>{index + 1}</kbd>
            <span>{labelOf(option)}</span>
          </button>
        ))}
      </div>
      {showsField && <AnswerField isSecret={prompt.kind === "password"} isOff={isOff} onAnswer={(value) => void answer(value)} />}
      {wantsKeys(prompt) && !isReadOnly.value && <KeyRow isDisabled={isOff} onKey={(key) => void api.keys(agent, [key]).catch(tell)} />}
      <div class="prompt-more">
        <button type="button" class="link-button" aria-expanded={isScreenShown} onClick={() => setIsScreenShown(!isScreenShown)}>
          {isScreenShown ? t("prompt.hideScreen") : t("prompt.showScreen")}
        </button>
        {!takesText(prompt) && !isReadOnly.value && (
          <button type="button" class="link-button" aria-expanded={isTyping} onClick={() => setIsTyping(!isTyping)}>
            {t("prompt.type")}
          </button>
        )}
      </div>
      {isScreenShown && <ScreenLines agent={agent} version={prompt.id} />}
    </section>
  );
}

function labelOf(option: Prompt["options"][number]): string {
  const word = wordOf(option.label);
  return word ? t(word) : option.label || option.key;
}
