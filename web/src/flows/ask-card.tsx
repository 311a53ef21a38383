// What a run asks a person: a card with a button for each answer. It stands in the room and in the inbox.

import { useState } from "preact/hooks";
import { ask as request } from "../api";
import { tell } from "../parts/failure";
import { PlainText } from "../parts/plain-text";
import { Since } from "../parts/since";
import { fetchFlows, type FlowAsk } from "../state/flows";
import { announce } from "../state/toasts";
import { isReadOnly } from "../state/world";
import { w } from "./words";
import "./flows.css";

type Props = { run: { id: string; name: string }; ask: FlowAsk };

export function FlowAskCard({ run, ask }: Props) {
  const [isSending, setIsSending] = useState(false);
  const answer = async (value: string) => {
    setIsSending(true);
    try {
      await request("POST", `/api/flows/${encodeURIComponent(run.id)}/answer`, { ask: ask.id, answer: value });
      announce(w("answered", { value }));
      fetchFlows();
    } catch (error) {
      tell(error);
      setIsSending(false);
    }
  };
  return (
    <article class="inbox-item flow-ask" data-flow={run.name}>
      <header class="inbox-head">
        <a class="agent-name" href={`/flows/${encodeURIComponent(run.id)}`}>
          {w("asks", { name: `${run.name} · ${ask.step}` })}
        </a>
        <span class="head-gap" />
        <Since at={new Date(ask.since).toISOString()} />
      </header>
      <p class="flow-question">
        <PlainText text={ask.question} />
      </p>
      <div class="flow-answers">
        {ask.options.map((option, place) => (
          <button key={option} type="button" class={`button${place === 0 ? " primary" : ""}`} disabled={isSending || isReadOnly.value} onClick={() => void answer(option)}>
            {option}
          </button>
        ))}
      </div>
    </article>
  );
}
