// One run: what it asks, its graph, and the work of the step that was picked, with its conversation, terminal and changes.

import { useState } from "preact/hooks";
import { ask } from "../api";
import { ConfirmButton } from "../parts/confirm-button";
import { tell } from "../parts/failure";
import { FetchProblem } from "../parts/fetch-problem";
import { PlainText } from "../parts/plain-text";
import { Loading, ScreenHead } from "../parts/screen-head";
import { useFetched } from "../parts/use-fetched";
import { fetchFlows, flowsVersion } from "../state/flows";
import { agentUrl, taskUrl } from "../state/route";
import { toast } from "../state/toasts";
import { agentById, helloCount, isReadOnly } from "../state/world";
import { FlowAskCard } from "./ask-card";
import { FlowGraph } from "./graph";
import type { FlowItem, FlowRun, FlowStep } from "./shapes";
import { duration, stateWord, w } from "./words";

type Told = { run: FlowRun; output: unknown; lost: boolean };

export function RunView({ id }: { id: string }) {
  const url = `/api/flows/${encodeURIComponent(id)}`;
  const told = useFetched(() => ask<Told>("GET", url), [id, flowsVersion.value, helloCount.value]);
  const [picked, setPicked] = useState<string | null>(null);
  const run = told.value?.run;
  const isOver = run !== undefined && ["done", "failed", "stopped"].includes(run.state);
  const isLost = told.value?.lost ?? false;
  const step = run?.steps.find((one) => one.name === picked) ?? run?.steps.find((one) => one.state === "running" || one.state === "failed");
  const stop = async () => {
    try {
      const { confirmed } = await ask<{ confirmed: boolean }>("POST", `${url}/stop`);
      toast(confirmed ? "good" : "bad", w(confirmed ? "stopped" : "stopOpen", { name: run?.name ?? "" }));
      fetchFlows();
    } catch (error) {
      tell(error);
    }
  };
  const resume = () => ask("POST", `${url}/resume`).then(fetchFlows, tell);
  return (
    <>
      <ScreenHead
        title={
          <>
            <a class="flow-back" href="/flows">
              {w("title")}
            </a>{" "}
            {run?.name ?? ""}
          </>
        }
        note={run && `${stateWord(isLost ? "lost" : run.state)}${run.why ? `: ${run.why}` : ""}`}
      >
        {run && !isOver && <ConfirmButton label={w("stop")} confirm={w("stopSure")} isDisabled={isReadOnly.value} onConfirm={() => void stop()} />}
        {run && (isLost || run.state === "failed" || run.state === "stopped") && (
          <button type="button" class="button primary" disabled={isReadOnly.value} onClick={() => void resume()}>
            {w("resume")}
          </button>
        )}
      </ScreenHead>
      <div class="screen-body">
        {told.error && <FetchProblem text={told.error} again={told.again} />}
        {!run && told.isLoading && <Loading />}
        {isLost && <p class="hint">{w("lost")}</p>}
        {run && (
          <>
            {run.asks.map((one) => (
              <FlowAskCard key={one.id} run={run} ask={one} />
            ))}
            <FlowGraph steps={run.steps} picked={step?.name ?? null} onPick={setPicked} />
            <p class="hint flow-facts">
              {[w("by", { name: run.by }), run.dir, w("turns", { n: run.turns }), run.tokens > 0 ? w("tokens", { n: run.tokens }) : "", isOver ? duration(run.started_at, run.updated_at) : ""].filter(Boolean).join(" · ")}
            </p>
            {step ? <StepWork step={step} /> : <p class="hint">{w("pick")}</p>}
            {run.state === "done" && <Output value={told.value?.output} />}
          </>
        )}
      </div>
    </>
  );
}

function StepWork({ step }: { step: FlowStep }) {
  return (
    <section class="flow-work" aria-label={step.name}>
      <header class="group-head">
        <h2>{step.name}</h2>
        <span class={`flow-state is-${step.state}`}>{stateWord(step.state)}</span>
        <span class="card-note">{duration(step.began_at, step.ended_at)}</span>
      </header>
      {step.why && <p>{step.why}</p>}
      <ul class="flow-items">
        {step.items.map((item, place) => (
          <li key={place}>
            <span class={`flow-state is-${item.state}`}>{stateWord(item.state)}</span>
            <span class="flow-label">{item.label}</span>
            {item.agent && <span class="card-note">{item.agent}</span>}
            {item.attempt > 1 && <span class="card-note">{w("attempt", { n: item.attempt })}</span>}
            <span class="card-note">{duration(item.began_at, item.ended_at)}</span>
            <span class="head-gap" />
            <ItemLinks item={item} />
            {item.why && item.state !== "done" && <span class="flow-why">{item.why}</span>}
            {item.question && <span class="flow-why">{item.question}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** An agent that is gone has its conversation and no terminal. */
function ItemLinks({ item }: { item: FlowItem }) {
  if (item.agent_id === null) return item.task === null ? null : <a href={taskUrl(item.task)}>{w("task")}</a>;
  const agent = agentById(item.agent_id);
  const isThere = agent !== undefined;
  return (
    <span class="flow-links">
      {isThere ? <a href={agentUrl(item.agent_id, item.task === null ? {} : { message: item.task })}>{w("conversation")}</a> : item.task !== null && <a href={taskUrl(item.task)}>{w("conversation")}</a>}
      {isThere && <a href={agentUrl(item.agent_id, { tab: "changes" })}>{w("changes")}</a>}
      {agent?.has_terminal && <a href={agentUrl(item.agent_id, { tab: "terminal" })}>{w("terminal")}</a>}
    </span>
  );
}

function Output({ value }: { value: unknown }) {
  if (value === null || value === undefined) return null;
  const fields = typeof value === "object" ? (value as Record<string, unknown>) : {};
  const text = typeof value === "string" ? value : typeof fields["reply"] === "string" ? fields["reply"] : JSON.stringify(value, null, 2);
  return (
    <section class="flow-work" aria-label={w("output")}>
      <header class="group-head">
        <h2>{w("output")}</h2>
      </header>
      <PlainText text={text} />
    </section>
  );
}
