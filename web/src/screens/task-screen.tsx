// One task: what was asked, how it went, what came of it; an answer where one is wanted.

import { useEffect, useState } from "preact/hooks";
import { api, Refused } from "../api";
import { AnswerField } from "../parts/answer-field";
import { ErrorCard } from "../parts/error-card";
import { ConfirmButton } from "../parts/confirm-button";
import { reasonOf, tell } from "../parts/failure";
import { FetchProblem } from "../parts/fetch-problem";
import { PlainText } from "../parts/plain-text";
import { Reply } from "../parts/reply";
import { retryOf } from "../parts/retry";
import { Loading, ScreenHead } from "../parts/screen-head";
import { SentMessage } from "../parts/sent-message";
import { ClockTime, Since } from "../parts/since";
import { StepList } from "../parts/step-list";
import { StateWord } from "../parts/task-chip";
import { agentLinks, agentUrl } from "../state/route";
import { isOver, otherAgent } from "../state/task-fold";
import { fetchSoon, keep, taskOf } from "../state/tasks";
import { agentById, helloCount, isReadOnly } from "../state/world";
import { t } from "../text";
import type { Asked, Moment, Task } from "../types";

export function TaskScreen({ id }: { id: string }) {
  const [problem, setProblem] = useState<string | null>(null);
  const task = taskOf(id);
  const load = () => {
    setProblem(null);
    api.task(id).then(
      ({ task }) => keep([task]),
      (error: unknown) => setProblem(reasonOf(error)),
    );
  };
  useEffect(load, [id, helloCount.value]);
  if (!task) return problem ? <FetchProblem text={problem} again={load} /> : <Loading />;
  const asked = askedIn(task);
  const cancel = () => api.cancel(id).then(({ task }) => keep([task]), tell);
  return (
    <>
      <ScreenHead title={t("task.title")} note={<><StateWord state={task.status.state} /> <Since at={task.updated_at} /></>}>
        {task.handle && (
          <a class="button" href={agentUrl(task.owner, { message: task.id })}>
            @{task.handle}
          </a>
        )}
        {!isOver(task.status.state) && !isReadOnly.value && <ConfirmButton label={t("task.cancel")} confirm={t("task.cancelSure")} onConfirm={() => void cancel()} />}
      </ScreenHead>
      <div class="screen-body narrow" data-task={task.id} data-state={task.status.state}>
        <section class={`asked${otherAgent(task) === null ? "" : " from-agent"}`}>
          <div class="entry-head">
            <span class="route-chip">
              {otherAgent(task) === null ? t("mesh.you") : `@${otherAgent(task)}`} → @{task.handle ?? "?"}
            </span>
            <span class="card-note" title={t("bar.priority")}>{t("mesh.priority", { n: task.priority })}</span>
            <ClockTime at={task.created_at} />
          </div>
          <SentMessage parts={task.message.parts} />
        </section>
        {asked && task.status.state === "input_required" && <TaskQuestion task={task} asked={asked} />}
        {task.steps && task.steps.length > 0 && <StepList steps={task.steps} isLive={!isOver(task.status.state)} />}
        <section>
          <Reply task={task} links={task.agent ? agentLinks(task.agent, agentById(task.agent)?.has_terminal !== false) : null} />
          {task.status.error && <ErrorCard code={task.status.error.code} text={task.status.error.message} onRetry={retryOf(task)} />}
        </section>
        <section class="task-history">
          <h2>{t("task.history")}</h2>
          <ol>
            {historyOf(task).map((moment) => (
              <li key={`${moment.state}${moment.at}`}>
                <StateWord state={moment.state} /> <ClockTime at={moment.at} />
              </li>
            ))}
          </ol>
          <p class="card-note breaks">
            {t("task.id")} {task.id}
            {task.source && <> · {t("task.source", { source: task.source })}</>}
          </p>
        </section>
      </div>
    </>
  );
}

/** All states it went through, or what a copy from a list tells of them. */
function historyOf(task: Task): Moment[] {
  if (task.history) return task.history;
  const { state, timestamp } = task.status;
  const begin: Moment = { state: "submitted", at: task.created_at };
  return state === "submitted" ? [begin] : [begin, { state, at: timestamp }];
}

function askedIn(task: Task): Asked | null {
  const said = task.status.message;
  return typeof said === "object" && said !== null && "fingerprint" in said ? (said as Asked) : null;
}

function TaskQuestion({ task, asked }: { task: Task; asked: Asked }) {
  const [isSending, setIsSending] = useState(false);
  const [isChanged, setIsChanged] = useState(false);
  const answer = async (value: string) => {
    setIsSending(true);
    setIsChanged(false);
    try {
      await api.input(task.id, value, asked.fingerprint);
    } catch (error) {
      if (error instanceof Refused && error.code === "prompt_changed") setIsChanged(true);
      else tell(error);
    }
    fetchSoon(task.id);
    setIsSending(false);
  };
  const isOff = isSending || isReadOnly.value;
  return (
    <section class="prompt-card" aria-label={t("prompt.label", { kind: asked.type })}>
      {isChanged && (
        <p class="notice" role="alert">
          {t("prompt.changed")}
        </p>
      )}
      <p class="prompt-question">
        <PlainText text={asked.prompt} />
      </p>
      <div class="prompt-options">
        {asked.options.map((option, index) => (
          <button type="button" key={option} class="option" disabled={isOff} onClick={() => void answer(option)}>
            <kbd>{index + 1}</kbd>
            <span>{option}</span>
          </button>
        ))}
      </div>
      {asked.options.length === 0 && !isReadOnly.value && (
        <AnswerField isSecret={asked.type === "password"} isOff={isOff} onAnswer={(value) => void answer(value)} />
      )}
    </section>
  );
}
