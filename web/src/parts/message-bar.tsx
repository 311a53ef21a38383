// [/] [ text ] [⏹] [→]. Sends to this agent, to another (`@name …`), or types a command of the program.

import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api";
import { asKeys, commandsOf, readTarget } from "../state/message-target";
import { fetchPrompts, ownPrompts } from "../state/own-prompts";
import { prefs } from "../state/prefs";
import { keep } from "../state/tasks";
import { toast } from "../state/toasts";
import { agents, isReadOnly } from "../state/world";
import { t } from "../text";
import type { Agent, Part } from "../types";
import { AttachButton, AttachedFiles, readFiles, type Attached } from "./attached-files";
import { Completion } from "./completion";
import { tell } from "./failure";
import { Icon } from "./icon";
import { InterruptButton } from "./interrupt-button";
import { isRunning, stopAgent } from "./stop";
import { TargetChip, type TargetWish } from "./target-chip";
import { useCompletion } from "./use-completion";
import { useDraft, type Insert } from "./use-draft";

const hasTouch = () => matchMedia("(pointer: coarse)").matches;
const USUAL_WISH: TargetWish = { response: true, priority: 3 };

type Props = {
  agent: Agent;
  insert: Insert;
  /** A message to this agent was taken. */
  onSent: () => void;
  bindStop: (press: () => void) => void;
};

export function MessageBar({ agent, insert, onSent, bindStop }: Props) {
  const [files, setFiles] = useState<Attached[]>([]);
  const [wish, setWish] = useState<TargetWish>(USUAL_WISH);
  const [isSending, setIsSending] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const stopPress = useRef<() => void>(() => {});
  const { text, write, sent } = useDraft(agent.id, insert, () => field.current?.focus());
  useEffect(() => grow(field.current), [text]);

  const others = agents.value.filter((other) => other.id !== agent.id);
  const handles = others.map((other) => other.handle);
  const commands = commandsOf(agent.profile);
  const target = readTarget(text, handles, commands);
  if (text.startsWith("/")) fetchPrompts();
  const complete = (choice: string) => {
    const own = commands.includes(choice) ? undefined : ownPrompts.value[choice];
    // The first place that is to be filled is marked.
    const place = own?.search(/\$(ARGUMENTS|[1-9])\b/) ?? -1;
    write(own ?? `${choice} `);
    field.current?.focus();
    if (own && place >= 0) requestAnimationFrame(() => field.current?.setSelectionRange(place, place + (own[place + 1] === "A" ? 10 : 2)));
  };
  const offer = useCompletion(text, handles, [...new Set([...commands, ...Object.keys(ownPrompts.value)])], complete);
  const hasSession = !["stopped", "failed", "away"].includes(agent.status);
  const isOff = isReadOnly.value || !hasSession;

  const send = async () => {
    const isEmpty = target.text === "" && files.length === 0;
    if (isEmpty || isSending || isOff) return;
    setIsSending(true);
    try {
      if (target.kind === "command") await api.keys(agent.id, asKeys(target.text));
      else if (target.kind === "other") {
        const to = others.find((other) => other.handle === target.handle);
        const { task } = await api.send(to?.id ?? target.handle, { ...content(target.text, files), from: agent.id, ...wish });
        keep([task]);
        toast("good", t("bar.sentTo", { name: target.handle }));
      } else {
        const { task } = await api.send(agent.id, { ...content(target.text, files), mode: "queue" });
        keep([task]);
        onSent();
      }
      sent();
      setFiles([]);
    } catch (error) {
      tell(error);
    } finally {
      setIsSending(false);
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    // Enter and Escape belong to the input method while it composes.
    if (event.isComposing || event.keyCode === 229) return;
    if (offer.onKey(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey && !hasTouch()) {
      event.preventDefault();
      void send();
    }
    if (event.key === "Escape" && prefs.value.escStops) {
      event.preventDefault();
      event.stopPropagation();
      stopPress.current();
    }
  };

  const take = async (list: FileList | null | undefined) => {
    if (!list || list.length === 0) return;
    try {
      setFiles([...files, ...(await readFiles(list))]);
    } catch (error) {
      tell(error);
    }
  };

  return (
    <div
      class="message-bar"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer?.files);
      }}
    >
      {offer.choices.length > 0 && <Completion id="completion" choices={offer.choices} picked={offer.picked} onPick={complete} />}
      {target.kind === "other" && <TargetChip from={agent.handle} to={target.handle} wish={wish} onWish={setWish} />}
      <AttachedFiles files={files} onRemove={(index) => setFiles(files.filter((_, at) => at !== index))} />
      <div class="message-row" onMouseDown={keepKeyboard}>
        <button type="button" class="round-button slash" aria-label={t("bar.slash")} disabled={isOff} onClick={() => beginCommand(write, text, field.current)}>
          <Icon name="slash" />
        </button>
        <AttachButton isOff={isOff} onFiles={(list) => void take(list)} />
        <textarea
          ref={field}
          rows={1}
          value={text}
          disabled={isOff}
          aria-label={t("bar.label", { name: agent.handle })}
          aria-controls={offer.choices.length > 0 ? "completion" : undefined}
          placeholder={isReadOnly.value ? t("bar.readOnly") : hasSession ? t("bar.placeholder", { name: agent.handle }) : agent.machine && agent.seen ? t("bar.away", { name: agent.machine }) : t("stop.noSession")}
          enterkeyhint={hasTouch() ? "enter" : "send"}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            if (event.clipboardData && event.clipboardData.files.length > 0) {
              event.preventDefault();
              void take(event.clipboardData.files);
            }
          }}
        />
        <InterruptButton
          act={() => stopAgent(agent.id, agent.handle)}
          hasSession={hasSession && !isReadOnly.value}
          isStopping={agent.status === "stopping"}
          isRunning={isRunning(agent)}
          bind={(press) => {
            stopPress.current = press;
            bindStop(press);
          }}
        />
        <button
          type="button"
          class="round-button send"
          aria-label={agent.status === "idle" ? t("bar.send") : t("bar.queue")}
          title={agent.status === "idle" ? t("bar.send") : t("bar.queue")}
          disabled={isOff || isSending || (target.text === "" && files.length === 0)}
          onClick={() => void send()}
        >
          <Icon name="send" />
        </button>
      </div>
    </div>
  );
}

/** A slash at the beginning opens the list of commands. */
function beginCommand(write: (text: string) => void, text: string, field: HTMLTextAreaElement | null): void {
  write(text.startsWith("/") ? text : `/${text}`);
  field?.focus();
}

function content(text: string, files: Attached[]): { text: string } | { parts: Part[] } {
  if (files.length === 0) return { text };
  const said: Part[] = text === "" ? [] : [{ type: "text", text }];
  return { parts: [...said, ...files.map((file): Part => ({ type: "file", file }))] };
}

function grow(field: HTMLTextAreaElement | null): void {
  if (!field) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

/** A button of the bar takes no focus, so that a phone's keyboard stays open. */
function keepKeyboard(event: MouseEvent): void {
  if (!(event.target instanceof HTMLTextAreaElement)) event.preventDefault();
}
