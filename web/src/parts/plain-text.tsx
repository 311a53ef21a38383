// An agent's words: text nodes and http(s) links, never HTML.

import { pieces } from "../state/links";

export function PlainText({ text }: { text: string }) {
  return (
    <>
      {pieces(text).map((piece) =>
        piece.href === null ? (
          piece.text
        ) : (
          <a href={piece.href} target="_blank" rel="noopener noreferrer nofollow">
            {piece.text}
          </a>
        ),
      )}
    </>
  );
}
