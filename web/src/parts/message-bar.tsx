// [/] [ text ] [⏹] [→]: sends to this agent, to another (`@name …`), or types a command of the program.

import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api";
import { draftOf, keepDraft } from "../state/drafts";
import { asKeys, commandsOf, completing, readTarget } from "../state/message-target";
import { prefs } from "../state/prefs";
import { keep } from "../state/tasks";
import { toast } from "../state/toasts";
import { agents, isReadOnly } from "../state/world";
import { t } from "../text";
import type { Agent, Part } from "../types";
import { AttachedFiles, readFiles, type Attached } from "./attached-files";
import { Completion } from "./completion";
import { tell } from "./failure";
import { Icon } from "./icon";
import { InterruptButton } from "./interrupt-button";
import { stopAgent } from "./stop";
import { TargetChip, type TargetWish } from "./target-chip";

const hasTouch = () => matchMedia("(pointer: coarse)").matches;
const USUAL_WISH: TargetWish = { response: true, priority: 3 };

type Props = {
  agent: Agent;
  /** A text to put into the bar, and how often that was asked. */
  insert: { text: string; count: number };
  bindStop: (press: () => void) => void;
};

export function MessageBar({ agent, insert, bindStop }: Props) {
  const [text, setText] = useState(() => draftOf(agent.id));
  const [files, setFiles] = useState<Attached[]>([]);
  const [wish, setWish] = useState<TargetWish>(USUAL_WISH);
  const [isSending, setIsSending] = useState(false);
  const [picked, setPicked] = useState(0);
  const [isListClosed, setIsListClosed] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const stopPress = useRef<() => void>(() => {});

  const write = (next: string) => {
    setText(next);
    keepDraft(agent.id, next);
    setPicked(0);
    setIsListClosed(false);
  };
  useEffect(() => setText(draftOf(agent.id)), [agent.id]);
  useEffect(() => {
    if (insert.count === 0) return;
    write(text === "" ? insert.text : `${text}\n${insert.text}`);
    field.current?.focus();
  }, [insert.count]);
  useEffect(() => grow(field.current), [text]);

  const others = agents.value.filter((other) => other.id !== agent.id);
  const commands = commandsOf(agent.profile);
  const target = readTarget(text, others.map((other) => other.handle), commands);
  const word = completing(text, text.length);
  const choices = word === null || isListClosed ? [] : word.mark === "@" ? others.map((other) => `@${other.handle}`) : commands;
  const offered = word === null ? [] : choices.filter((choice) => choice.slice(1).toLowerCase().startsWith(word.word.toLowerCase()));
  const hasSession = agent.status !== "stopped" && agent.status !== "failed";
  const isOff = isReadOnly.value || !hasSession;

  const complete = (choice: string) => {
    write(`${choice} `);
    field.current?.focus();
  };

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
      }
      write("");
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
    if (offered.length > 0) {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        setPicked((picked + (event.key === "ArrowDown" ? 1 : offered.length - 1)) % offered.length);
        return;
      }
      const isExact = offered.length === 1 && offered[0] === text;
      if (event.key === "Tab" || (event.key === "Enter" && !isExact)) {
        event.preventDefault();
        complete(offered[picked] ?? offered[0] ?? "");
        return;
      }
      if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        setIsListClosed(true);
        return;
      }
    }
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
      {offered.length > 0 && <Completion id="completion" choices={offered} picked={picked} onPick={complete} />}
      {target.kind === "other" && <TargetChip from={agent.handle} to={target.handle} wish={wish} onWish={setWish} />}
      <AttachedFiles files={files} onRemove={(index) => setFiles(files.filter((_, at) => at !== index))} />
      <div class="message-row" onMouseDown={keepKeyboard}>
        <button type="button" class="round-button slash" aria-label={t("bar.slash")} disabled={isOff} onClick={() => beginCommand(write, text, field.current)}>
          <Icon name="slash" />
        </button>
        <textarea
          ref={field}
          rows={1}
          value={text}
          disabled={isOff}
          aria-label={t("bar.label", { name: agent.handle })}
          aria-controls={offered.length > 0 ? "completion" : undefined}
          placeholder={isReadOnly.value ? t("bar.readOnly") : hasSession ? t("bar.placeholder", { name: agent.handle }) : t("stop.noSession")}
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
