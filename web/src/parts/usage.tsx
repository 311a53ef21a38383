// What turns took of the models: in the head of an agent, under a turn, and summed by day.

import { api } from "../api";
import { tl } from "../text-later";
import type { Agent, TurnUsage, UsageDay } from "../types";
import { FetchProblem } from "./fetch-problem";
import { Loading } from "./screen-head";
import { useFetched } from "./use-fetched";
import "../styles/usage.css";

const DAYS = 30;

/** In the head: what of the conversation's room is left, and what the last turn cost. */
export function UsageChip({ agent }: { agent: Agent }) {
  const { usage } = agent;
  if (!usage) return null;
  const left = percentLeft(usage);
  return (
    <span class={`usage-chip${left !== null && left < 15 ? " is-low" : ""}`} title={detail(usage)}>
      {left === null ? tl("usage.tokens", { tokens: short(total(usage)) }) : tl("usage.left", { percent: left })}
    </span>
  );
}

export function TurnUsageLine({ usage }: { usage: TurnUsage }) {
  const counts = { input: short(usage.input + usage.cache_written), cached: short(usage.cached), output: short(usage.output) };
  return (
    <p class="usage-line" title={detail(usage)}>
      {tl("usage.turn", { ...counts, cost: cost(usage.cost_usd, usage.cost_is_partial) })}
    </p>
  );
}

export function UsageTable() {
  const list = useFetched(() => api.usage(DAYS), []);
  const days = list.value?.days ?? [];
  return (
    <section class="settings-group" id="usage">
      <h2>{tl("usage.title")}</h2>
      {list.error && <FetchProblem text={list.error} again={list.again} />}
      {!list.value && list.isLoading && <Loading />}
      {list.value && days.length === 0 && <p class="hint">{tl("usage.none")}</p>}
      {days.length > 0 && (
        <div class="usage-scroll" tabIndex={0} role="region" aria-label={tl("usage.title")}>
          <table class="usage-table">
            <thead>
              <tr>
                {(["day", "agent", "model", "turns", "input", "cached", "output", "cost"] as const).map((name) => (
                  <th key={name} scope="col">
                    {tl(`usage.${name}`)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.map((day) => (
                <Row key={`${day.day}${day.agent}${day.model}`} cells={[day.day, `@${day.handle}`, day.model ?? tl("usage.unknown")]} day={day} />
              ))}
            </tbody>
            {days.length > 1 && (
              <tfoot>
                <Row cells={[tl("usage.total"), "", ""]} day={sum(days)} />
              </tfoot>
            )}
          </table>
        </div>
      )}
      <p class="hint">{tl("usage.hint")}</p>
    </section>
  );
}

type Counted = Pick<UsageDay, "turns" | "tokens" | "cost_usd" | "cost_is_partial">;

function Row({ cells, day }: { cells: readonly string[]; day: Counted }) {
  const { tokens } = day;
  return (
    <tr>
      {cells.map((cell, at) => (
        <td key={at}>{cell}</td>
      ))}
      {[String(day.turns), short(tokens.input + tokens.cache_written), short(tokens.cached), short(tokens.output), cost(day.cost_usd, day.cost_is_partial)].map((cell, at) => (
        <td key={at} class="usage-number">
          {cell}
        </td>
      ))}
    </tr>
  );
}

function sum(days: readonly UsageDay[]): Counted {
  const tokens = { input: 0, cached: 0, cache_written: 0, output: 0 };
  let cost_usd: number | null = null;
  for (const day of days) {
    for (const name of Object.keys(tokens) as (keyof typeof tokens)[]) tokens[name] += day.tokens[name];
    if (day.cost_usd !== null) cost_usd = (cost_usd ?? 0) + day.cost_usd;
  }
  return { turns: days.reduce((n, day) => n + day.turns, 0), tokens, cost_usd, cost_is_partial: days.some((day) => day.cost_is_partial) };
}

function detail(usage: TurnUsage): string {
  return tl("usage.detail", {
    model: usage.model ?? tl("usage.unknown"),
    input: short(usage.input + usage.cache_written),
    cached: short(usage.cached),
    output: short(usage.output),
    cost: cost(usage.cost_usd, usage.cost_is_partial),
    context: known(usage.context),
    window: known(usage.window),
  });
}

function percentLeft({ context, window }: TurnUsage): number | null {
  return context === null || !window ? null : Math.max(0, Math.round(100 - (context / window) * 100));
}

function total(usage: TurnUsage): number {
  return usage.input + usage.cached + usage.cache_written + usage.output;
}

const known = (count: number | null) => (count === null ? tl("usage.unknown") : short(count));

/** What is not known is never nought. */
export function cost(dollars: number | null, isPartial: boolean): string {
  if (dollars === null) return tl("usage.unknown");
  const said = `$${dollars.toFixed(dollars < 0.01 ? 4 : 2)}`;
  return isPartial ? tl("usage.partial", { cost: said }) : said;
}

export function short(count: number): string {
  if (count < 10_000) return String(count);
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(2)}M`;
}
