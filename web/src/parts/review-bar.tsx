// Comments that wait to be sent to the agent, all in one message.

import { useState } from "preact/hooks";
import { api } from "../api";
import { clearRemarks, messageOf, remarksOn } from "../state/review";
import { keep } from "../state/tasks";
import { toast } from "../state/toasts";
import { t, tn } from "../text";
import type { Agent } from "../types";
import { tell } from "./failure";

export function ReviewBar({ agent }: { agent: Agent }) {
  const [isSending, setIsSending] = useState(false);
  const remarks = remarksOn(agent.worktree);
  if (remarks.length === 0) return null;
  const send = async () => {
    setIsSending(true);
    try {
      keep([(await api.send(agent.id, { text: messageOf(t("review.head"), remarks), mode: "queue" })).task]);
      clearRemarks(agent.worktree);
      toast("good", t("review.sent", { name: agent.handle }));
    } catch (error) {
      tell(error);
    }
    setIsSending(false);
  };
  return (
    <div class="review-bar" role="group" aria-label={tn("count.comments", remarks.length)}>
      <span>{tn("count.comments", remarks.length)}</span>
      <span class="head-gap" />
      <button type="button" class="button small" onClick={() => clearRemarks(agent.worktree)}>
        {t("review.clear")}
      </button>
      <button type="button" class="button small primary" disabled={isSending} onClick={() => void send()}>
        {t("review.send", { name: agent.handle })}
      </button>
    </div>
  );
}
