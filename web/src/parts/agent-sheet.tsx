// The question and Stop, below every tab that is not the conversation: whoever reads the terminal or the changes on a
// phone can answer and stop without looking for the place.

import { useState } from "preact/hooks";
import { isReadOnly } from "../state/world";
import { t } from "../text";
import type { Agent } from "../types";
import { Icon } from "./icon";
import { InterruptButton } from "./interrupt-button";
import { PromptCard } from "./prompt-card";
import { isRunning, stopAgent } from "./stop";

export function AgentSheet({ agent, bindStop }: { agent: Agent; bindStop: (press: () => void) => void }) {
  const [isFolded, setIsFolded] = useState(false);
  const hasSession = !["stopped", "failed", "away"].includes(agent.status);
  return (
    <section class="composer agent-sheet" aria-label={t("sheet.label")}>
      {agent.prompt && !isFolded && <PromptCard agent={agent.id} prompt={agent.prompt} />}
      <div class="sheet-row">
        <span class="sheet-doing">{agent.prompt ? isFolded && agent.prompt.question : agent.task?.text}</span>
        {agent.prompt && (
          <button type="button" class="chip-button" aria-expanded={!isFolded} onClick={() => setIsFolded(!isFolded)}>
            <Icon name={isFolded ? "up" : "down"} />
            <span>{isFolded ? t("sheet.show") : t("sheet.hide")}</span>
          </button>
        )}
        <InterruptButton act={() => stopAgent(agent.id, agent.handle)} hasSession={hasSession && !isReadOnly.value} isStopping={agent.status === "stopping"} isRunning={isRunning(agent)} bind={bindStop} />
      </div>
    </section>
  );
}
