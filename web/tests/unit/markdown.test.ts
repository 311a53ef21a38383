import { describe, expect, it } from "vitest";
import { highlight } from "../../src/highlight/highlight";
import { blocksOf, type Block, type Inline } from "../../src/state/markdown";
import { inlineOf } from "../../src/state/markdown-inline";
import { rows, sideOf } from "../../src/state/patch";
import { replyText } from "../../src/state/reply-text";

const kinds = (text: string) => blocksOf(text).map((block) => block.kind);
const only = <K extends Block["kind"]>(text: string, kind: K): Extract<Block, { kind: K }> => {
  const [block] = blocksOf(text);
  if (block?.kind !== kind) throw new Error(`${block?.kind} is no ${kind}`);
  return block as Extract<Block, { kind: K }>;
};
/** What a reader sees, with marks around what is marked. */
const shown = (pieces: Inline[]): string =>
  pieces
    .map((piece) => {
      switch (piece.kind) {
        case "text":
          return piece.text;
        case "code":
          return `{${piece.text}}`;
        case "link":
          return `[${shown(piece.inner)}→${piece.target}]`;
        default:
          return `<${piece.kind} ${shown(piece.inner)}>`;
      }
    })
    .join("");
const words = (text: string) => shown(inlineOf(text));

describe("blocks of Markdown", () => {
  it("are headings, rules, quotes, code and paragraphs", () => {
    expect(kinds("# Title ##\n\ntext\nmore\n\n---\n\n> said\n\n```rust\nfn a() {}\n```\n\nend")).toEqual(["heading", "paragraph", "rule", "quote", "code", "paragraph"]);
    expect(only("## Title ##", "heading")).toEqual({ kind: "heading", level: 2, text: "Title" });
    expect(only("```rust\nfn a() {}\n\n```", "code")).toEqual({ kind: "code", language: "rust", text: "fn a() {}\n" });
    expect(kinds("#hashtag\n#!/bin/sh")).toEqual(["paragraph"]);
  });

  it("keep the lines of a paragraph as they are written", () => {
    expect(only("one\n  two\nthree", "paragraph").text).toBe("one\n  two\nthree");
  });

  it("are lists, one in another, with paragraphs in an item", () => {
    const list = only("- a\n  - b\n  - c\n- d\n\n  more of d\n\nafter", "list");
    expect(list.items.map((item) => item.blocks.map((block) => block.kind))).toEqual([["paragraph", "list"], ["paragraph", "paragraph"]]);
    expect(kinds("- a\n\nafter")).toEqual(["list", "paragraph"]);
    expect(only("3. c\n4. d", "list").start).toBe(3);
    expect(only("- [x] a\n- [ ] b\n- c", "list").items.map((item) => item.isDone)).toEqual([true, false, null]);
    expect(kinds("in the year\n2024. It rained")).toEqual(["paragraph"]);
    expect(kinds("as follows:\n- a\n- b")).toEqual(["paragraph", "list"]);
  });

  it("are code in a list item, without what it is moved in by", () => {
    const list = only("1. run\n   ```sh\n   make\n     test\n   ```\n2. look", "list");
    expect(list.items).toHaveLength(2);
    expect(list.items[0]?.blocks[1]).toEqual({ kind: "code", language: "sh", text: "make\n  test" });
  });

  it("are tables, with bars that belong to a cell", () => {
    const table = only("| a | b |\n|:--|--:|\n| 1 | `x|y` |\n| 2 \\| 3 |\n\nafter", "table");
    expect(table.head).toEqual(["a", "b"]);
    expect(table.align).toEqual(["left", "right"]);
    expect(table.rows).toEqual([["1", "`x|y`"], ["2 | 3", ""]]);
    expect(kinds("a | b\nc | d")).toEqual(["paragraph"]);
  });

  it("keep columns and drawings in a fixed width", () => {
    expect(kinds("┌──┐\n│  │\n└──┘")).toEqual(["fixed"]);
    expect(kinds("drwxr-xr-x   2 ada\n-rw-r--r--   1 ada")).toEqual(["fixed"]);
  });

  it("of any size are cut into such as can be drawn", () => {
    expect(blocksOf("word ".repeat(10_000)).length).toBeGreaterThan(2);
    expect(blocksOf("line\n".repeat(1_000)).length).toBe(5);
    expect(blocksOf("- item\n".repeat(1_000)).length).toBe(5);
    expect(blocksOf(`a|b\n-|-\n${"1|2\n".repeat(1_000)}`).length).toBe(5);
  });

  it("take time in proportion to the text, whatever it is", () => {
    const n = 30_000;
    const hostile = ["> ".repeat(n), "- ".repeat(n), "`".repeat(n), "*a ".repeat(n), "[".repeat(n), "\n".repeat(n), `- a${"\n".repeat(n)}b`, `# a${" ".repeat(n)}b`, `\`\`\`${" ".repeat(n)}\``, `${" ".repeat(n)}|x\n${" ".repeat(n)}-|-x`, "![a](".repeat(n), "\\(".repeat(n), "**_".repeat(n), "a_".repeat(n), `https://a.example/${".".repeat(n)}x`];
    for (const text of hostile) for (const block of blocksOf(text)) if (block.kind === "paragraph") inlineOf(block.text);
  });
});

describe("the words of a block", () => {
  it("are emphasised as their marks say", () => {
    expect(words("a **b *c* d** _e_ ~~f~~")).toBe("a <strong b <em c> d> <em e> <del f>");
    expect(words("***both***")).toBe("<strong <em both>>");
    expect(words("snake_case_name and 2 * 3 * 4")).toBe("snake_case_name and 2 * 3 * 4");
    expect(words("**open and *open")).toBe("**open and *open");
  });

  it("are code between ticks, where nothing else counts", () => {
    expect(words("`a*b*` and ``x`y``")).toBe("{a*b*} and {x`y}");
    expect(words("a ` alone")).toBe("a ` alone");
  });

  it("are links, with what was written kept for those that lead nowhere", () => {
    expect(words("see [the **docs**](https://a.example/x_(y)) now")).toBe("see [the **docs**→https://a.example/x_(y)] now");
    expect(words("<https://a.example>")).toBe("[https://a.example→https://a.example]");
    expect(inlineOf("[x](javascript:alert(1))")).toEqual([{ kind: "link", target: "javascript:alert(1)", inner: [{ kind: "text", text: "x" }], source: "[x](javascript:alert(1))" }]);
    expect(words("a [list] of (things)")).toBe("a [list] of (things)");
  });

  it("leave formulas and HTML alone", () => {
    expect(words("$a_i*b_i*c$ and \\(x_1*y*z\\)")).toBe("$a_i*b_i*c$ and \\(x_1*y*z\\)");
    expect(words("costs $5 or *$6*")).toBe("costs $5 or <em $6>");
    expect(words("<b onclick=x>*y*</b>")).toBe("<b onclick=x><em y></b>");
    expect(words("\\*not\\*")).toBe("*not*");
  });
});

describe("the highlighter", () => {
  it("changes no letter and knows words, strings and comments", () => {
    const code = 'fn main() { // say\n    let x = "a\\"b"; /* two\nlines */ call(1) }\n';
    const lines = highlight(code, "rust");
    expect(lines?.map((line) => line.map((token) => token.text).join("")).join("\n")).toBe(code);
    const kindOf = (text: string) => lines?.flat().find((token) => token.text === text)?.kind;
    expect([kindOf("fn"), kindOf("main"), kindOf("// say"), kindOf('"a\\"b"'), kindOf("lines */"), kindOf("1")]).toEqual(["keyword", "function", "comment", "string", "comment", "number"]);
    expect(highlight("x", "no such language")).toBeNull();
  });

  it("takes any code in any language it knows, letter by letter", () => {
    const code = "\"'`/*#<!--\n\"\"\"\n$x ${y} @z 0x1f --flag [a] key: 'v'\n\\";
    for (const name of ["ts", "py", "rs", "go", "c", "java", "sh", "yaml", "toml", "json", "html", "css", "sql", "rb", "php", "lua"]) {
      expect(highlight(code, name)?.map((line) => line.map((token) => token.text).join("")).join("\n"), name).toBe(code);
    }
  });

  it("reads both sides of a diff apart", () => {
    const all = rows("@@ -1,2 +1,2 @@\n a\n-b\n+c");
    expect(sideOf(all, "add")).toBe("\na\nb\n");
    expect(sideOf(all, "del")).toBe("\na\n\nc");
  });
});

describe("the source of a reply", () => {
  it("is what was kept, or its pieces put together", () => {
    const artifacts = [
      { type: "text", parts: [{ type: "text", text: "Here:" }] },
      { type: "code", metadata: { language: "sh" }, parts: [{ type: "text", text: "ls" }] },
    ];
    expect(replyText({ reply: null, artifacts })).toBe("Here:\n\n```sh\nls\n```");
    expect(replyText({ reply: "kept", artifacts })).toBe("kept");
  });
});
