// The Flows room: what runs, what ran, and what can be run.

import { useState } from "preact/hooks";
import { ask } from "../api";
import { FetchProblem } from "../parts/fetch-problem";
import { Empty, Loading, ScreenHead } from "../parts/screen-head";
import { Since } from "../parts/since";
import { useFetched } from "../parts/use-fetched";
import { flowsVersion, type FlowLine } from "../state/flows";
import { helloCount, isReadOnly } from "../state/world";
import { FlowAskCard } from "./ask-card";
import { RunView } from "./run-view";
import type { KnownFlow } from "./shapes";
import { StartFlowDialog } from "./start-dialog";
import { duration, stateWord, w } from "./words";
import "./flows.css";

type List = { flows: KnownFlow[]; runs: FlowLine[] };

export function FlowsRoom({ id }: { id: string }) {
  return id === "" ? <FlowList /> : <RunView key={id} id={id} />;
}

function FlowList() {
  const list = useFetched(() => ask<List>("GET", "/api/flows"), [flowsVersion.value, helloCount.value]);
  const [chosen, setChosen] = useState<KnownFlow | null>(null);
  const runs = list.value?.runs ?? [];
  return (
    <>
      <ScreenHead title={w("title")} />
      <div class="screen-body narrow">
        {list.error && <FetchProblem text={list.error} again={list.again} />}
        {!list.value && list.isLoading && <Loading />}
        {runs.flatMap((run) => run.asks.map((one) => <FlowAskCard key={`${run.id} ${one.id}`} run={run} ask={one} />))}
        <Runs title={w("runs")} runs={runs.filter(isLive)} />
        {list.value && (
          <section>
            <h2 class="flow-head">{w("known")}</h2>
            <ul class="agent-list">
              {list.value.flows.map((flow) => (
                <li key={flow.name} class="flow-known">
                  <span class="flow-label">{flow.name}</span>
                  <span class="card-note">{flow.source}</span>
                  <span class="head-gap" />
                  <button type="button" class="button small" disabled={isReadOnly.value || !flow.trusted || flow.problem !== null} onClick={() => setChosen(flow)} aria-label={w("start", { name: flow.name })}>
                    {w("run")}
                  </button>
                  <p class="hint">{flow.problem ?? (flow.trusted ? flow.about : w("untrusted"))}</p>
                </li>
              ))}
            </ul>
          </section>
        )}
        {list.value && runs.length === 0 && <Empty title={w("none")} />}
        <Runs title={w("history")} runs={runs.filter((run) => !isLive(run))} />
        {chosen && <StartFlowDialog flow={chosen} onClose={() => setChosen(null)} />}
      </div>
    </>
  );
}

const isLive = (run: FlowLine) => ["running", "stopping", "lost"].includes(run.state);

function Runs({ title, runs }: { title: string; runs: readonly FlowLine[] }) {
  if (runs.length === 0) return null;
  return (
    <section>
      <h2 class="flow-head">{title}</h2>
      <ul class="agent-list">
        {runs.map((run) => (
          <li key={run.id} class="flow-row">
            <a href={`/flows/${encodeURIComponent(run.id)}`}>
              <span class={`flow-state is-${run.state}`}>{stateWord(run.state)}</span>
              <span class="flow-label">{run.name}</span>
              {!isLive(run) && <span class="card-note">{duration(run.started_at, run.updated_at)}</span>}
              <span class="head-gap" />
              <Since at={new Date(run.started_at).toISOString()} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
