// How well a name fits what was typed. Pure.

/** The lower, the better; null: not at all. */
export function fit(name: string, typed: string): number | null {
  const [text, word] = [name.toLowerCase(), typed.trim().toLowerCase()];
  if (word === "" || text === word) return 0;
  if (text.startsWith(word)) return 1;
  const at = text.indexOf(word);
  if (at < 0) return word.split(/\s+/).every((one) => text.includes(one)) ? 4 : null;
  return /[\p{L}\p{N}]/u.test(text[at - 1] ?? "") ? 3 : 2;
}

/** Those that fit, the best first; equals stay in their order. */
export function bestFirst<T>(items: readonly T[], typed: string, nameOf: (item: T) => string): T[] {
  return items
    .flatMap((item) => {
      const how = fit(nameOf(item), typed);
      return how === null ? [] : [{ item, how }];
    })
    .sort((a, b) => a.how - b.how)
    .map(({ item }) => item);
}
