// What could be meant by the first word in the message bar, and the keys that choose among it.

import { useEffect, useState } from "preact/hooks";
import { completing } from "../state/message-target";

export type Offer = {
  choices: readonly string[];
  picked: number;
  /** True: the key was for the list. */
  onKey: (event: KeyboardEvent) => boolean;
};

export function useCompletion(text: string, handles: readonly string[], commands: readonly string[], onChoose: (choice: string) => void): Offer {
  const [picked, setPicked] = useState(0);
  const [isClosed, setIsClosed] = useState(false);
  useEffect(() => {
    setPicked(0);
    setIsClosed(false);
  }, [text]);
  const word = isClosed ? null : completing(text, text.length);
  const all = word === null ? [] : word.mark === "@" ? handles.map((handle) => `@${handle}`) : commands;
  const choices = all.filter((choice) => choice.slice(1).toLowerCase().startsWith(word?.word.toLowerCase() ?? ""));
  const onKey = (event: KeyboardEvent): boolean => {
    if (choices.length === 0) return false;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") setPicked((picked + (event.key === "ArrowDown" ? 1 : choices.length - 1)) % choices.length);
    else if (event.key === "Tab" || (event.key === "Enter" && !(choices.length === 1 && choices[0] === text))) onChoose(choices[picked] ?? choices[0] ?? "");
    else if (event.key === "Escape") setIsClosed(true);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return { choices, picked, onKey };
}
