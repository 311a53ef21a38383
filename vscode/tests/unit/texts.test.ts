// Every text is there in English and in Japanese.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const json = (name: string) => JSON.parse(readFileSync(name, "utf8")) as Record<string, string>;
const sources = () => readdirSync("src", { recursive: true }).map(String).filter((name) => /\.tsx?$/.test(name)).map((name) => readFileSync(join("src", name), "utf8")).join("\n");
const places = (text: string) => [...text.matchAll(/\{\d\}/g)].map(([place]) => place).sort();

test("what the editor shows of the extension is told in both languages", () => {
  const [english, japanese] = [json("package.nls.json"), json("package.nls.ja.json")];
  assert.deepEqual(Object.keys(japanese).sort(), Object.keys(english).sort());
  const used = [...readFileSync("package.json", "utf8").matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key);
  assert.deepEqual([...new Set(used)].sort(), Object.keys(english).sort());
});

test("what the extension says is told in both languages", () => {
  const said = [...sources().matchAll(/l10n\.t\("((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text ?? "");
  const japanese = json("l10n/bundle.l10n.ja.json");
  assert.ok(said.length > 50);
  assert.deepEqual(Object.keys(japanese).sort(), [...new Set(said)].sort());
  for (const [text, translated] of Object.entries(japanese)) assert.deepEqual(places(translated), places(text), text);
});

test("every command that is offered is one that is there", () => {
  const manifest = json("package.json") as unknown as { contributes: { commands: { command: string }[]; menus: Record<string, { command: string }[]>; keybindings: { command: string }[] } };
  const known = manifest.contributes.commands.map(({ command }) => command);
  const extension = readFileSync("src/extension.ts", "utf8");
  for (const command of known) assert.match(extension, new RegExp(`\\b${command.replace("synapse.", "")}:`), command);
  const used = [...Object.values(manifest.contributes.menus).flat(), ...manifest.contributes.keybindings].map(({ command }) => command);
  for (const command of used) assert.ok(known.includes(command), command);
});
