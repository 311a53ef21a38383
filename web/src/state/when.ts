// Times for people. Pure.

export type Ago = { key: "ago.now" | "ago.seconds" | "ago.minutes" | "ago.hours" | "ago.days"; n: number };

/** How long something has lasted, in its largest whole unit. */
export function ago(from: string, now: number): Ago {
  const seconds = Math.max(0, Math.floor((now - Date.parse(from)) / 1_000));
  if (!Number.isFinite(seconds) || seconds < 5) return { key: "ago.now", n: 0 };
  if (seconds < 60) return { key: "ago.seconds", n: seconds };
  if (seconds < 3_600) return { key: "ago.minutes", n: Math.floor(seconds / 60) };
  if (seconds < 86_400) return { key: "ago.hours", n: Math.floor(seconds / 3_600) };
  return { key: "ago.days", n: Math.floor(seconds / 86_400) };
}

/** A number of bytes, short. */
export function bytes(n: number): string {
  if (n < 1_000) return `${n} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = n / 1_000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
