import assert from "node:assert/strict";
import { test } from "node:test";
import { excerptText, fileText, messageOf, pathFor } from "../../src/excerpt";

test("a path is told from the agent's own folder, and whole where it is elsewhere", () => {
  assert.equal(pathFor("/home/ada/shop", "/home/ada/shop/src/cart.py"), "src/cart.py");
  assert.equal(pathFor("/home/ada/shop/", "/home/ada/shop/src/cart.py"), "src/cart.py");
  assert.equal(pathFor("/home/ada/shop", "/home/ada/shop-login/src/cart.py"), "/home/ada/shop-login/src/cart.py");
});

test("a selection has its path, its lines and its words", () => {
  const text = excerptText({ path: "src/cart.py", language: "python", from: 3, to: 4, text: "a = 1\nb = 2\n" });
  assert.equal(text, "src/cart.py, lines 3-4:\n```python\na = 1\nb = 2\n```");
  assert.match(excerptText({ path: "x", language: "", from: 7, to: 7, text: "a" }), /^x, line 7:/);
});

test("nothing in a selection ends its fence", () => {
  const text = excerptText({ path: "README.md", language: "markdown", from: 1, to: 3, text: "````\ncode\n````" });
  assert.match(text, /\n`{5}markdown\n/);
  assert.ok(text.endsWith("\n`````"));
});

test("a file is named; its text goes along only where the disk has another", () => {
  assert.equal(fileText({ path: "a.rs", language: "rust", lines: 1, text: null }), "a.rs (1 line)");
  assert.match(fileText({ path: "a.rs", language: "rust", lines: 2, text: "fn a() {}\n" }), /in the editor:\n```rust\nfn a\(\) \{\}\n```/);
});

test("words come first, and may be missing", () => {
  assert.equal(messageOf(" fix this ", ["a.rs (1 line)"]), "fix this\n\na.rs (1 line)");
  assert.equal(messageOf("", ["a.rs (1 line)"]), "a.rs (1 line)");
});
