// What the keys `s` and `1`–`9` do on the screen that is open.

export const screenActs: { stop: (() => void) | null; answer: ((option: number) => void) | null } = { stop: null, answer: null };
