// What the key `s` does on the screen that is open.

export const screenActs: { stop: (() => void) | null } = { stop: null };
