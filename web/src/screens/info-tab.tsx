// What is known of an agent, and how to end it.

import { useState } from "preact/hooks";
import { api } from "../api";
import { AutoUses } from "../parts/auto-uses";
import { Badge } from "../parts/badge";
import { ConfirmButton } from "../parts/confirm-button";
import { tell } from "../parts/failure";
import { ScreenParts } from "../parts/screen-parts";
import { Since } from "../parts/since";
import { autoAnswer, usesOf } from "../state/auto-answer";
import { go, taskUrl, worktreeUrl } from "../state/route";
import { isReadOnly } from "../state/world";
import { t } from "../text";
import type { Agent } from "../types";

export function InfoTab({ agent }: { agent: Agent }) {
  const [isEnding, setIsEnding] = useState(false);
  const uses = usesOf(agent.id);
  const isResting = autoAnswer.value?.resting.includes(agent.id) ?? false;
  const end = async () => {
    setIsEnding(true);
    try {
      await api.end(agent.id);
      go("/");
    } catch (error) {
      tell(error);
      setIsEnding(false);
    }
  };
  return (
    <div class="pane info">
      <dl class="facts">
        <dt>{t("info.status")}</dt>
        <dd>
          <Badge status={agent.status} kind={agent.prompt?.kind} /> <Since at={agent.since} />
        </dd>
        <dt>{t("info.evidence")}</dt>
        <dd>{agent.evidence}</dd>
        {agent.held !== null && (
          <>
            <dt>{t("info.held")}</dt>
            <dd>{agent.held}</dd>
          </>
        )}
        {agent.task && (
          <>
            <dt>{t("info.task")}</dt>
            <dd>
              <a href={taskUrl(agent.task.id)}>{agent.task.text || agent.task.id}</a>
            </dd>
          </>
        )}
        <dt>{t("info.profile")}</dt>
        <dd>{agent.profile}</dd>
        <dt>{t("info.dir")}</dt>
        <dd>
          <a href={worktreeUrl(agent.worktree)}>{agent.dir}</a>
        </dd>
        <dt>{t("info.branch")}</dt>
        <dd>{agent.branch ?? t("agent.noBranch")}</dd>
        <dt>{t("info.started")}</dt>
        <dd>{agent.started_at ? <Since at={agent.started_at} /> : "–"}</dd>
        <dt>{t("info.process")}</dt>
        <dd>
          {agent.pid} · 127.0.0.1:{agent.port} · {agent.version}
        </dd>
        <dt>{t("info.id")}</dt>
        <dd class="breaks">{agent.id}</dd>
      </dl>
      {(uses.length > 0 || isResting) && <h2>{t("auto.title")}</h2>}
      {isResting && <p class="notice">{t("auto.resting", { n: autoAnswer.value?.in_a_row ?? 0 })}</p>}
      <AutoUses used={uses} isOfOne />
      <h2>{t("info.read")}</h2>
      <ScreenParts agent={agent.id} version={agent.since} />
      {!isReadOnly.value && (
        <div class="danger-zone">
          <p>{t("info.endText")}</p>
          <ConfirmButton label={isEnding ? t("info.ending") : t("info.end")} confirm={t("info.endSure", { name: agent.handle })} isDisabled={isEnding} onConfirm={() => void end()} />
        </div>
      )}
    </div>
  );
}
