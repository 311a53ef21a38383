// An agent's words as headings, lists, tables and the like: nodes made from what was read, never HTML.

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { isWebAddress } from "../state/links";
import { blocksOf, type Block, type Inline, type Item } from "../state/markdown";
import { inlineOf } from "../state/markdown-inline";
import { looksLikeDiff } from "../state/patch";
import type { Links } from "../state/route";
import { t } from "../text";
import { Chunked } from "./chunked";
import { CodeCard } from "./code-card";
import { DiffCard } from "./diff-card";
import { PlainText } from "./plain-text";

/** Blocks are drawn together up to about this many letters. */
const CHUNK_LETTERS = 3_000;

type Props = { text: string; links: Links | null };

export function Markdown({ text, links }: Props) {
  const chunks = useMemo(() => inChunks(blocksOf(text)), [text]);
  return (
    <div class="markdown">
      <Chunked count={chunks.length} render={(index) => <Blocks blocks={chunks[index] ?? []} links={links} />} />
    </div>
  );
}

function inChunks(blocks: Block[]): Block[][] {
  const chunks: Block[][] = [[]];
  let letters = 0;
  for (const block of blocks) {
    if (letters > CHUNK_LETTERS) {
      chunks.push([]);
      letters = 0;
    }
    chunks[chunks.length - 1]?.push(block);
    letters += lettersIn(block);
  }
  return chunks;
}

function lettersIn(block: Block): number {
  switch (block.kind) {
    case "quote":
      return block.blocks.reduce((sum, inner) => sum + lettersIn(inner), 0);
    case "list":
      return block.items.reduce((sum, item) => sum + item.blocks.reduce((inner, one) => inner + lettersIn(one), 40), 0);
    case "table":
      return block.rows.length * block.head.length * 40;
    case "rule":
      return 1;
    // A long one is folded.
    case "code":
      return Math.min(block.text.length, CHUNK_LETTERS);
    default:
      return block.text.length;
  }
}

function Blocks({ blocks, links }: { blocks: Block[]; links: Links | null }) {
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} links={links} />
      ))}
    </>
  );
}

function BlockView({ block, links }: { block: Block; links: Links | null }) {
  switch (block.kind) {
    case "heading":
      return <Heading level={block.level}>{<Words text={block.text} links={links} />}</Heading>;
    case "paragraph":
      return (
        <p class="prose">
          <Words text={block.text} links={links} />
        </p>
      );
    case "fixed":
      return (
        <pre class="fixed" tabIndex={0} aria-label={t("reply.fixed")}>
          {block.text}
        </pre>
      );
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.blocks} links={links} />
        </blockquote>
      );
    case "list":
      return <List start={block.start} items={block.items} links={links} />;
    case "table":
      return <Table block={block} links={links} />;
    case "code":
      if (looksLikeDiff(block.language || "text", block.text)) return <DiffCard text={block.text} />;
      return <CodeCard title={block.language || "text"} language={block.language} text={block.text} />;
    case "rule":
      return <hr />;
  }
}

/** The page itself has the first two levels. */
function Heading({ level, children }: { level: number; children: ComponentChildren }) {
  const place = `said-heading level-${level}`;
  if (level === 1) return <h3 class={place}>{children}</h3>;
  if (level === 2) return <h4 class={place}>{children}</h4>;
  return level === 3 ? <h5 class={place}>{children}</h5> : <h6 class={place}>{children}</h6>;
}

function List({ start, items, links }: { start: number | null; items: Item[]; links: Links | null }) {
  const rows = items.map((item, index) => (
    <li key={index} class={item.isDone === null ? undefined : "is-task"}>
      {item.isDone !== null && <input type="checkbox" checked={item.isDone} disabled aria-label={t(item.isDone ? "reply.done" : "reply.open")} />}
      <Blocks blocks={item.blocks} links={links} />
    </li>
  ));
  return start === null ? <ul class="said-list">{rows}</ul> : <ol class="said-list" start={start}>{rows}</ol>;
}

function Table({ block, links }: { block: Block & { kind: "table" }; links: Links | null }) {
  const place = (index: number) => (block.align[index] ? `is-${block.align[index]}` : undefined);
  return (
    <div class="said-table" role="region" tabIndex={0} aria-label={t("reply.table")}>
      <table>
        <thead>
          <tr>
            {block.head.map((cell, index) => (
              <th key={index} scope="col" class={place(index)}>
                <Words text={cell} links={links} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index} class={place(index)}>
                  <Words text={cell} links={links} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Words({ text, links }: { text: string; links: Links | null }) {
  const pieces = useMemo(() => inlineOf(text), [text]);
  return <Pieces pieces={pieces} links={links} />;
}

function Pieces({ pieces, links }: { pieces: Inline[]; links: Links | null }) {
  return (
    <>
      {pieces.map((piece, index) => (
        <PieceView key={index} piece={piece} links={links} />
      ))}
    </>
  );
}

function PieceView({ piece, links }: { piece: Inline; links: Links | null }) {
  switch (piece.kind) {
    case "text":
      return <PlainText text={piece.text} />;
    case "code":
      return <code class="said-code">{piece.text}</code>;
    case "strong":
      return (
        <strong>
          <Pieces pieces={piece.inner} links={links} />
        </strong>
      );
    case "em":
      return (
        <em>
          <Pieces pieces={piece.inner} links={links} />
        </em>
      );
    case "del":
      return (
        <del>
          <Pieces pieces={piece.inner} links={links} />
        </del>
      );
    case "link":
      return <Link piece={piece} links={links} />;
  }
}

/** A file in the worktree, in the forms agents write: `src/a.rs`, `src/a.rs:12`, `src/a.rs#L12`. */
const FILE = /^(?:\.\/)?([\w@.+-][\w@.+/-]*?)(?::\d+)*(?:#L\d+(?:-L?\d+)?)?$/;

/** Only the web and the agent's own files are linked to; anything else is shown as it was written. */
function Link({ piece, links }: { piece: Inline & { kind: "link" }; links: Links | null }) {
  const label = piece.inner.map((inner, index) => (inner.kind === "text" ? inner.text : <PieceView key={index} piece={inner} links={null} />));
  if (isWebAddress(piece.target)) {
    return (
      <a href={piece.target} target="_blank" rel="noopener noreferrer nofollow">
        {label}
      </a>
    );
  }
  const file = links ? FILE.exec(piece.target)?.[1] : undefined;
  return file && links ? <a href={links.file(file)}>{label}</a> : <>{piece.source}</>;
}
