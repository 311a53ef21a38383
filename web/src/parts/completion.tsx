// What could be meant by what is being typed.

import { t } from "../text";

type Props = { id: string; choices: readonly string[]; picked: number; onPick: (choice: string) => void };

export function Completion({ id, choices, picked, onPick }: Props) {
  return (
    <ul id={id} class="completion" role="listbox" aria-label={t("bar.completion")}>
      {choices.map((choice, index) => (
        <li key={choice} role="option" aria-selected={index === picked} onPointerDown={(event) => event.preventDefault()} onClick={() => onPick(choice)}>
          {choice}
        </li>
      ))}
    </ul>
  );
}
