// Finds addresses in an agent's words. Only http and https ever become links. Pure.

export type Piece = { text: string; href: string | null };

const ADDRESS = /https?:\/\/[^\s<>"'`\u3000-\u303f\uff00-\uffef]+/g;
/** A sentence may go on right behind an address. */
const TRAILING = /[).,;:!?\]}]/;

export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(ADDRESS)) {
    let end = match[0].length;
    while (TRAILING.test(match[0][end - 1] ?? "")) end -= 1;
    const address = match[0].slice(0, end);
    if (!isWebAddress(address)) continue;
    if (match.index > at) found.push({ text: text.slice(at, match.index), href: null });
    found.push({ text: address, href: address });
    at = match.index + address.length;
  }
  if (at < text.length) found.push({ text: text.slice(at), href: null });
  return found;
}

export function isWebAddress(address: string): boolean {
  try {
    return ["http:", "https:"].includes(new URL(address).protocol);
  } catch {
    return false;
  }
}
