import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import en from "../../src/text/en.json";
import ja from "../../src/text/ja.json";
import laterEn from "../../src/text/later-en.json";
import laterJa from "../../src/text/later-ja.json";

const source = new URL("../../src", import.meta.url).pathname;
const holes = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();

it("both languages have the same texts with the same holes", () => {
  const pairs: [Record<string, string>, Record<string, string>][] = [
    [en, ja],
    [laterEn, laterJa],
  ];
  for (const [one, other] of pairs) {
    expect(Object.keys(other)).toEqual(Object.keys(one));
    for (const [key, text] of Object.entries(one)) expect(holes(other[key] ?? ""), key).toEqual(holes(text));
  }
});

it("the interrupt errors are in agreed words in Japanese", () => {
  expect(ja["stop.noSession"]).toBe("セッションが起動していません");
  expect(ja["stop.failed"]).toBe("中断に失敗しました");
  expect(ja["stop.network"]).toBe("通信エラー。再試行してください");
});

it("no component holds words of its own", () => {
  const files = readdirSync(source, { recursive: true }).map(String).filter((name) => name.endsWith(".tsx"));
  // Text between tags that has two letters in a row and is no expression.
  const words = />\s*([^<>{}]*[A-Za-z]{2}[^<>{}]*?)\s*</g;
  const allowed = new Set(["Synapse", "synapse web login", "diff"]);
  for (const name of files) {
    const jsx = readFileSync(join(source, name), "utf8").replace(/=>/g, "").replace(/<(svg|path)[^>]*>/g, "");
    const found = [...jsx.matchAll(words)].map((match) => match[1] ?? "").filter((text) => !/[;:=()&|]/.test(text) && !allowed.has(text));
    expect(found, name).toEqual([]);
  }
});

it("every text is used", () => {
  const files = readdirSync(source, { recursive: true }).map(String).filter((name) => /\.tsx?$/.test(name));
  const all = files.map((name) => readFileSync(join(source, name), "utf8")).join("\n");
  const built = /^(status|kind|task|tab|file|node|theme|diff|mesh|empty|error|ago|count|step|usage|calls)\./;
  const unused = [...Object.keys(en), ...Object.keys(laterEn)].filter((key) => !built.test(key) && !all.includes(`"${key.replace(/\.one$/, "")}"`));
  expect(unused).toEqual([]);
});
