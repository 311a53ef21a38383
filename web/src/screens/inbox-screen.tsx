// Everything that needs a person, over all agents: open questions, the oldest first, and what went wrong.

import { useState } from "preact/hooks";
import { api } from "../api";
import { ErrorCard } from "../parts/artifact-view";
import { AutoUsesFold } from "../parts/auto-uses";
import { Badge } from "../parts/badge";
import { PromptCard } from "../parts/prompt-card";
import { retryOf } from "../parts/retry";
import { Empty, Loading, ScreenHead } from "../parts/screen-head";
import { Since } from "../parts/since";
import { stopAgent } from "../parts/stop";
import { InterruptButton } from "../parts/interrupt-button";
import { useFetched } from "../parts/use-fetched";
import { autoAnswer } from "../state/auto-answer";
import { load, save } from "../state/prefs";
import { agentUrl, taskUrl } from "../state/route";
import { isInterrupted, textOf } from "../state/task-fold";
import { tasks } from "../state/tasks";
import { agents, hasWorld, helloCount, isReadOnly, waiting } from "../state/world";
import { t } from "../text";
import type { Task } from "../types";

const DONE_KEY = "synapse.inbox.done";
const MOST_DONE = 500;

export function InboxScreen() {
  const failures = useFetched(() => api.tasks({ state: "failed", limit: 20 }), [helloCount.value]);
  const [done, setDone] = useState(() => new Set(load<string[]>(DONE_KEY, [])));
  const clear = (ids: string[]) => {
    const next = new Set([...done, ...ids]);
    setDone(next);
    save(DONE_KEY, [...next].slice(-MOST_DONE));
  };
  const asking = [...waiting.value].sort((a, b) => a.since.localeCompare(b.since));
  const lost = agents.value.filter((agent) => agent.status === "failed");
  const failed = failedTasks(failures.value?.tasks ?? []).filter((task) => !done.has(task.id) && !isInterrupted(task));
  const count = asking.length + lost.length + failed.length;
  return (
    <>
      <ScreenHead title={t("nav.inbox")} note={count > 0 ? t("inbox.count", { n: count }) : undefined}>
        {failed.length > 1 && (
          <button type="button" class="button" onClick={() => clear(failed.map((task) => task.id))}>
            {t("inbox.clearAll")}
          </button>
        )}
      </ScreenHead>
      <div class="screen-body narrow">
        {!hasWorld.value && <Loading />}
        {hasWorld.value && count === 0 && <Empty title={t("inbox.empty")} />}
        {asking.map(
          (agent) =>
            agent.prompt && (
              <article key={agent.id} class="inbox-item" data-agent={agent.handle}>
                <header class="inbox-head">
                  <Badge status={agent.status} kind={agent.prompt.kind} />
                  <a class="agent-name" href={agentUrl(agent.id)}>
                    {agent.handle}
                  </a>
                  <span class="agent-tool">{agent.branch ?? agent.profile}</span>
                  <span class="head-gap" />
                  <InterruptButton act={() => stopAgent(agent.id, agent.handle)} hasSession={!isReadOnly.value} isStopping={false} label={t("palette.stop", { name: agent.handle })} />
                </header>
                <PromptCard agent={agent.id} prompt={agent.prompt} />
              </article>
            ),
        )}
        {lost.map((agent) => (
          <article key={agent.id} class="inbox-item">
            <header class="inbox-head">
              <Badge status={agent.status} />
              <a class="agent-name" href={agentUrl(agent.id)}>
                {agent.handle}
              </a>
              <span class="head-gap" />
              <Since at={agent.since} />
            </header>
            <p>{t("inbox.lost")}</p>
          </article>
        ))}
        {failed.map((task) => (
          <article key={task.id} class="inbox-item">
            <header class="inbox-head">
              <a class="agent-name" href={taskUrl(task.id)}>
                {task.handle ?? t("task.title")}
              </a>
              <Since at={task.updated_at} />
              <span class="head-gap" />
              <button type="button" class="button small" onClick={() => clear([task.id])}>
                {t("inbox.clear")}
              </button>
            </header>
            <p class="one-line">{textOf(task.message.parts)}</p>
            <ErrorCard code={task.status.error?.code ?? ""} text={task.status.error?.message ?? t("task.failed")} onRetry={retryOf(task)} />
          </article>
        ))}
        <AutoUsesFold used={autoAnswer.value?.used ?? []} />
      </div>
    </>
  );
}

/** Those fetched, and those that failed since. */
function failedTasks(fetched: Task[]): Task[] {
  const all = new Map(fetched.map((task) => [task.id, task]));
  for (const { task } of tasks.value.values()) if (task.status.state === "failed") all.set(task.id, task);
  return [...all.values()].sort((a, b) => a.updated_at.localeCompare(b.updated_at));
}
