// A dialog that asks for something and does it: a form, what went wrong, and two buttons.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../text";
import { Dialog } from "./dialog";
import { reasonOf } from "./failure";

type Props = {
  title: string;
  /** What the button says that does it, and while it does. */
  act: string;
  busy: string;
  cancel?: string;
  isDangerous?: boolean;
  onClose: () => void;
  /** Done: the dialog closes. It stays open on an error, and on `false`. */
  onSubmit: (said: FormData) => Promise<void | false>;
  /** What is told of an error; its reason, if nothing. */
  explain?: (error: unknown) => ComponentChildren;
  children: ComponentChildren;
};

export function FormDialog({ title, act, busy, cancel = t("act.cancel"), isDangerous = false, onClose, onSubmit, explain, children }: Props) {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<ComponentChildren>(null);
  const submit = async (form: HTMLFormElement) => {
    setIsBusy(true);
    setProblem(null);
    try {
      if ((await onSubmit(new FormData(form))) !== false) onClose();
    } catch (error) {
      setProblem(explain?.(error) ?? reasonOf(error));
    }
    setIsBusy(false);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        {children}
        {problem !== null && (
          <div class="problem" role="alert">
            {problem}
          </div>
        )}
        <div class="form-acts">
          <button type="button" class="button" onClick={onClose}>
            {cancel}
          </button>
          <button type="submit" class={`button ${isDangerous ? "danger" : "primary"}`} disabled={isBusy}>
            {isBusy ? busy : act}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** A field of a form, without the blanks around it. */
export function fieldIn(said: FormData, name: string): string {
  return String(said.get(name) ?? "").trim();
}
