import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { plain } from "../../src/plain";

/** What the editor makes a link of, in notifications and above inputs. */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;

test("no words of others become a link of the editor", () => {
  for (const text of ["[all is well](command:workbench.action.quit)", "a [b](https://evil.example) [c](file:///etc/passwd)", "[[x]](command:y)", '[x](command:y "title")', "[]([x](command:y))"]) {
    assert.doesNotMatch(plain(text), LINK);
    assert.equal(plain(text).replaceAll("] (", "]("), text);
  }
  assert.equal(plain("items[0] (the first)"), "items[0] (the first)");
});

test("nothing is shown in any other way than by notices.ts", () => {
  const files = readdirSync("src", { recursive: true }).map(String).filter((name) => /\.tsx?$/.test(name) && name !== "notices.ts");
  for (const name of files) assert.doesNotMatch(readFileSync(join("src", name), "utf8"), /show\w+Message|showInputBox|withProgress|MarkdownString/, name);
});
