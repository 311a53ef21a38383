// The text in the message bar: kept for each agent, and set aside while a message of the queue is edited.

import { useEffect, useRef, useState } from "preact/hooks";
import { draftOf, keepDraft } from "../state/drafts";

/** A text to put into the bar, and how often that was asked. */
export type Insert = { text: string; count: number };

export type Draft = {
  text: string;
  write: (text: string) => void;
  /** The text was sent: what was set aside comes back. */
  sent: () => void;
};

export function useDraft(agent: string, insert: Insert, onInsert: () => void): Draft {
  const [text, setText] = useState(() => draftOf(agent));
  const aside = useRef("");
  const write = (next: string) => {
    setText(next);
    keepDraft(agent, next);
  };
  useEffect(() => setText(draftOf(agent)), [agent]);
  useEffect(() => {
    if (insert.count === 0) return;
    if (text !== "" && text !== insert.text) aside.current = text;
    write(insert.text);
    onInsert();
  }, [insert.count]);
  const sent = () => {
    write(aside.current);
    aside.current = "";
  };
  return { text, write, sent };
}
