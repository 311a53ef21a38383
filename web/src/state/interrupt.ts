// The Stop button: Idle → Sending → Success or Error → Idle. Pure; time is an argument.
// One press a second, ten a minute; the state only ever follows what the hub confirmed.

export type StopState = "idle" | "sending" | "success" | "error";

export type Stop = { state: StopState; presses: readonly number[] };

/** Two presses closer than this are one. */
export const DEBOUNCE_MS = 1_000;
/** More presses than this in a minute are refused. */
export const PER_MINUTE = 10;
const MINUTE_MS = 60_000;
/** How long success shows before the button is itself again. */
export const SHOWN_MS = 1_000;

export const restingStop: Stop = { state: "idle", presses: [] };

export type Pressed = { stop: Stop; verdict: "send" | "too-soon" | "too-many" };

/** A press: whether it may be sent, and what the button is afterwards. */
export function press(stop: Stop, now: number): Pressed {
  if (stop.state === "sending") return { stop, verdict: "too-soon" };
  const presses = stop.presses.filter((at) => now - at < MINUTE_MS);
  const last = presses[presses.length - 1];
  if (last !== undefined && now - last < DEBOUNCE_MS) return { stop: { ...stop, presses }, verdict: "too-soon" };
  if (presses.length >= PER_MINUTE) return { stop: { ...stop, presses }, verdict: "too-many" };
  return { stop: { state: "sending", presses: [...presses, now] }, verdict: "send" };
}

export function settle(stop: Stop, ended: "success" | "error"): Stop {
  return { ...stop, state: ended };
}

export function rest(stop: Stop): Stop {
  return stop.state === "sending" ? stop : { ...stop, state: "idle" };
}

/** Which of the three texts a failure is told with. */
export function errorText(status: number | null): "stop.noSession" | "stop.failed" | "stop.network" {
  if (status === null) return "stop.network";
  return status === 404 ? "stop.noSession" : "stop.failed";
}

/** Asks once more if the first try got no answer at all. A refusal is an answer. */
export async function withOneRetry<T>(
  act: () => Promise<T>,
  isNetwork: (error: unknown) => boolean,
  pause: () => Promise<void>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!isNetwork(error)) throw error;
    await pause();
    return act();
  }
}
