// Everything that needs a person, over all agents: open questions, the oldest first, and what went wrong.

import { api } from "../api";
import { ErrorCard } from "../parts/error-card";
import { AutoUsesFold } from "../parts/auto-uses";
import { Badge } from "../parts/badge";
import { tell } from "../parts/failure";
import { PromptCard } from "../parts/prompt-card";
import { retryOf } from "../parts/retry";
import { Empty, Loading, ScreenHead } from "../parts/screen-head";
import { Since } from "../parts/since";
import { stopAgent } from "../parts/stop";
import { InterruptButton } from "../parts/interrupt-button";
import { autoAnswer } from "../state/auto-answer";
import { asking, clearFailures, died, failed, inboxCount, lost } from "../state/inbox";
import { agentUrl, taskUrl } from "../state/route";
import { textOf } from "../state/task-fold";
import { hasWorld, isReadOnly } from "../state/world";
import { t } from "../text";

export function InboxScreen() {
  const count = inboxCount.value;
  return (
    <>
      <ScreenHead title={t("nav.inbox")} note={count > 0 ? t("inbox.count", { n: count }) : undefined}>
        {failed.value.length > 1 && (
          <button type="button" class="button" onClick={() => clearFailures(failed.value.map((task) => task.id))}>
            {t("inbox.clearAll")}
          </button>
        )}
      </ScreenHead>
      <div class="screen-body narrow">
        {!hasWorld.value && <Loading />}
        {hasWorld.value && count === 0 && <Empty title={t("inbox.empty")} />}
        {asking.value.map(
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
                  {!isReadOnly.value && (
                    <InterruptButton act={() => stopAgent(agent.id, agent.handle)} hasSession isStopping={false} isRunning label={t("palette.stop", { name: agent.handle })} />
                  )}
                </header>
                <PromptCard agent={agent.id} prompt={agent.prompt} />
              </article>
            ),
        )}
        {lost.value.map((agent) => (
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
        {died.value.map((death) => (
          <article key={death.run} class="inbox-item">
            <header class="inbox-head">
              <Badge status="failed" />
              <a class="agent-name" href={agentUrl(death.agent)}>
                {death.handle}
              </a>
              <Since at={death.at} />
              <span class="head-gap" />
              {!isReadOnly.value && (
                <button type="button" class="button small" onClick={() => void api.seeDeath(death.agent).catch(tell)}>
                  {t("inbox.clear")}
                </button>
              )}
            </header>
            <p>{t("inbox.died", { how: death.how })}</p>
          </article>
        ))}
        {failed.value.map((task) => (
          <article key={task.id} class="inbox-item">
            <header class="inbox-head">
              <a class="agent-name" href={taskUrl(task.id)}>
                {task.handle ?? t("task.title")}
              </a>
              <Since at={task.updated_at} />
              <span class="head-gap" />
              <button type="button" class="button small" onClick={() => clearFailures([task.id])}>
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
