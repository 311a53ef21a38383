// What a line in the message bar is: for this agent, for another (`@name …`), or a command of the program (`/…`). Pure.

export type Target =
  | { kind: "here"; text: string }
  | { kind: "other"; handle: string; text: string }
  | { kind: "command"; text: string };

const TO_OTHER = /^@([\w.-]+)\s+([\s\S]+)$/;

/** `handles` are the agents that exist, `commands` what this program knows after a slash. */
export function readTarget(line: string, handles: readonly string[], commands: readonly string[]): Target {
  const text = line.trim();
  const match = TO_OTHER.exec(text);
  const handle = match && handles.find((name) => name.toLowerCase() === match[1]?.toLowerCase());
  if (match && handle) return { kind: "other", handle, text: match[2] ?? "" };
  const word = text.split(/\s/, 1)[0] ?? "";
  if (commands.includes(word) && !text.includes("\n")) return { kind: "command", text };
  return { kind: "here", text };
}

/** What is being completed at the cursor: a handle at the beginning, or a command. */
export function completing(line: string, cursor: number): { mark: "@" | "/"; word: string } | null {
  const before = line.slice(0, cursor);
  const match = /^([@/])([\w.-]*)$/.exec(before);
  return match ? { mark: match[1] as "@" | "/", word: match[2] ?? "" } : null;
}

/** A command as the keys that type it, in tmux's names. */
export function asKeys(command: string): string[] {
  return [...[...command].map((letter) => (letter === " " ? "Space" : letter)), "Enter"];
}

/** What each known program understands after a slash. */
const COMMANDS: Record<string, readonly string[]> = {
  claude: ["/clear", "/compact", "/context", "/cost", "/help", "/model", "/resume", "/review", "/status"],
  codex: ["/approvals", "/compact", "/diff", "/init", "/model", "/new", "/review", "/status"],
  gemini: ["/chat", "/clear", "/compress", "/help", "/memory", "/stats", "/tools"],
};

export function commandsOf(profile: string): readonly string[] {
  return COMMANDS[profile] ?? [];
}
