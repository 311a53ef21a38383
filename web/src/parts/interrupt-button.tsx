// Stop: orange, as large as the send button, disabled without a session, one press a second, ten a minute.

import { useEffect, useRef, useState } from "preact/hooks";
import { press, rest, restingStop, settle, SHOWN_MS, type Stop } from "../state/interrupt";
import { toast } from "../state/toasts";
import { t } from "../text";
import { StopIcon } from "./icon";

type Props = {
  /** Sends the interrupt; false if it failed and the person was told. */
  act: () => Promise<boolean>;
  hasSession: boolean;
  isStopping: boolean;
  /** Loud while something runs, quiet at rest. */
  isRunning: boolean;
  label?: string;
  /** Lets a key press do what the button does. */
  bind?: (press: () => void) => void;
};

export function InterruptButton({ act, hasSession, isStopping, isRunning, label, bind }: Props) {
  const [stop, setStop] = useState<Stop>(restingStop);
  const latest = useRef(stop);
  const keep = (next: Stop) => {
    latest.current = next;
    setStop(next);
  };
  const pressed = async () => {
    if (!hasSession) return;
    const { stop: next, verdict } = press(latest.current, Date.now());
    keep(next);
    if (verdict === "too-many") toast("plain", t("stop.tooMany"));
    if (verdict !== "send") return;
    const isAnswered = await act();
    keep(settle(latest.current, isAnswered ? "success" : "error"));
    window.setTimeout(() => keep(rest(latest.current)), SHOWN_MS);
  };
  useEffect(() => {
    // Whatever `bind` gives back is no cleanup: it may be the press itself.
    bind?.(() => void pressed());
  });
  const isBusy = stop.state === "sending" || isStopping;
  const name = label ?? t("stop.label");
  return (
    <button
      type="button"
      class={`round-button stop is-${stop.state}${isRunning ? " is-loud" : ""}${isBusy ? " is-busy" : ""}`}
      data-state={stop.state}
      disabled={!hasSession}
      aria-label={name}
      aria-busy={isBusy}
      title={hasSession ? name : t("stop.noSession")}
      onClick={() => void pressed()}
    >
      <StopIcon />
    </button>
  );
}
