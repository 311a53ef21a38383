// What was said to an agent and by it, oldest first, with the open question and the message bar below.

import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import { Entries, inOrder, startsOf } from "../parts/entries";
import { tell } from "../parts/failure";
import { MessageBar } from "../parts/message-bar";
import { PromptCard } from "../parts/prompt-card";
import { QueueChips } from "../parts/queue-chips";
import { ToastStack } from "../parts/toast-stack";
import { usePast } from "../parts/use-past";
import { autoNotes } from "../state/auto-answer";
import { notes } from "../state/notes";
import { behind, lineUp } from "../state/queue";
import { agentLinks } from "../state/route";
import { textOf } from "../state/task-fold";
import { saidTo } from "../state/tasks";
import { t } from "../text";
import type { Agent, Task } from "../types";

type Props = { agent: Agent; meant: string; bindStop: (press: () => void) => void };

export function ConversationTab({ agent, meant, bindStop }: Props) {
  const [insert, setInsert] = useState({ text: "", count: 0 });
  /** Those that waited behind the message that is being edited. */
  const followers = useRef<string[]>([]);
  const write = useCallback((text: string) => setInsert(({ count }) => ({ text, count: count + 1 })), []);
  const links = useMemo(() => agentLinks(agent.id, agent.has_terminal), [agent.id, agent.has_terminal]);
  const past = usePast(agent.id, meant);
  const all = saidTo(agent);
  const queued = all.filter((task) => task.status.state === "submitted");
  const said = [...startsOf(all, past.hasOlder, agent.started_at), ...(notes.value.get(agent.id) ?? []), ...autoNotes(agent.id)];
  const lines = inOrder(all.filter((task) => task.status.state !== "submitted"), said);
  const edit = (task: Task) => {
    followers.current = behind(queued, task);
    write(textOf(task.message.parts));
  };
  const onSent = () => {
    const waiting = followers.current;
    followers.current = [];
    lineUp(agent.id, waiting).catch(tell);
  };
  return (
    <div class="conversation">
      <Entries lines={lines} past={past} handle={agent.handle} links={links} empty={t("conversation.empty", { name: agent.handle })} meant={meant} onEdit={write} />
      <ToastStack />
      <div class="composer">
        {agent.prompt && <PromptCard agent={agent.id} prompt={agent.prompt} />}
        <QueueChips agent={agent.id} queued={queued} held={agent.held} onEdit={edit} />
        <MessageBar agent={agent} insert={insert} onSent={onSent} bindStop={bindStop} />
      </div>
    </div>
  );
}
