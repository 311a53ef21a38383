// What was said to an agent and by it, oldest first, with the open question and the message bar below.

import { useState } from "preact/hooks";
import { Entries, inOrder, usePast } from "../parts/entries";
import { MessageBar } from "../parts/message-bar";
import { PromptCard } from "../parts/prompt-card";
import { QueueChips } from "../parts/queue-chips";
import { autoNotes } from "../state/auto-answer";
import { notes } from "../state/notes";
import { agentLinks } from "../state/route";
import { tasksOf } from "../state/tasks";
import { t } from "../text";
import type { Agent } from "../types";

type Props = { agent: Agent; meant: string; bindStop: (press: () => void) => void; bindAnswer: (answer: (option: number) => void) => void };

export function ConversationTab({ agent, meant, bindStop, bindAnswer }: Props) {
  const [insert, setInsert] = useState({ text: "", count: 0 });
  const edit = (text: string) => setInsert({ text, count: insert.count + 1 });
  const past = usePast(agent.id, meant);
  const all = tasksOf(agent.id);
  const queued = all.filter((task) => task.status.state === "submitted");
  const said = [...(notes.value.get(agent.id) ?? []), ...autoNotes(agent.id)];
  const lines = inOrder(all.filter((task) => task.status.state !== "submitted"), said);
  return (
    <div class="conversation">
      <Entries lines={lines} past={past} handle={agent.handle} links={agentLinks(agent.id)} empty={t("conversation.empty", { name: agent.handle })} meant={meant} onEdit={edit} />
      <div class="composer">
        {agent.prompt && <PromptCard agent={agent.id} prompt={agent.prompt} bind={bindAnswer} />}
        <QueueChips agent={agent.id} queued={queued} held={agent.held} onEdit={edit} />
        <MessageBar agent={agent} insert={insert} bindStop={bindStop} />
      </div>
    </div>
  );
}
