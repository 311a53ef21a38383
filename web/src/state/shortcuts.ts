// Which key does what. Pure: a key in, an act out; the page carries it out.

export type Act =
  | { do: "palette" | "help" | "next-agent" | "previous-agent" | "next-waiting" | "stop" | "write" }
  | { do: "go"; to: "/" | "/inbox" | "/mesh" | "/w" };

/** `hasLetters`: keys without a modifier act at all; they can be switched off. */
export type Pressed = { key: string; isCommand: boolean; isAlt: boolean; isTyping: boolean; hasLetters: boolean };

const GO: Record<string, "/" | "/inbox" | "/mesh" | "/w"> = { a: "/", i: "/inbox", m: "/mesh", w: "/w" };
/** How long `g` waits for its second key. */
export const CHORD_MS = 1_200;

/** `chordAt` is when `g` was pressed last. */
export function actOf(pressed: Pressed, now: number, chordAt: number | null): { act: Act | null; chordAt: number | null } {
  if (pressed.isCommand && pressed.key.toLowerCase() === "k") return { act: { do: "palette" }, chordAt: null };
  if (!pressed.hasLetters || pressed.isTyping || pressed.isCommand || pressed.isAlt) return { act: null, chordAt: null };
  const goTo = GO[pressed.key];
  if (chordAt !== null && now - chordAt < CHORD_MS && goTo) return { act: { do: "go", to: goTo }, chordAt: null };
  if (pressed.key === "g") return { act: null, chordAt: now };
  return { act: single(pressed.key), chordAt: null };
}

function single(key: string): Act | null {
  switch (key) {
    case "?":
      return { do: "help" };
    case "j":
      return { do: "next-agent" };
    case "k":
      return { do: "previous-agent" };
    case "n":
      return { do: "next-waiting" };
    case "s":
      return { do: "stop" };
    case "/":
      return { do: "write" };
    default:
      return null;
  }
}
