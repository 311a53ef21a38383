import { expect, it } from "vitest";
import { pathOfCode, withoutLine } from "../../src/state/code-path";
import type { Artifact } from "../../src/types";

const code = (text: string, path?: string): Artifact => ({ type: "code", parts: [{ type: "text", text }], ...(path && { metadata: { path } }) });
const prose = (text: string): Artifact => ({ type: "text", parts: [{ type: "text", text }] });

it("finds the file a block of code is of, where the reply says so", () => {
  expect(pathOfCode(code("x", "src/a.py"), undefined)).toBe("src/a.py");
  expect(pathOfCode(code("# src/cart.py\ndef total():"), undefined)).toBe("src/cart.py");
  expect(pathOfCode(code("<!-- web/index.html -->\n<p>"), undefined)).toBe("web/index.html");
  expect(pathOfCode(code("x"), prose("Done.\n\nIn `src/cart.py:12` it is now:"))).toBe("src/cart.py");
  expect(pathOfCode(code("x"), prose("**src/cart.py**:"))).toBe("src/cart.py");
  expect(pathOfCode(code("x"), { type: "file", metadata: { path: "/w/a.py" } })).toBe("/w/a.py");
});

it("guesses nothing where the reply leaves it open", () => {
  expect(pathOfCode(code("# a comment\nx = 1"), undefined)).toBeNull();
  expect(pathOfCode(code("#!/bin/sh\nls"), undefined)).toBeNull();
  expect(pathOfCode(code("x"), prose("From `a.py` to `b.py`:"))).toBeNull();
  expect(pathOfCode(code("x"), prose("I changed `src/cart.py`."))).toBeNull();
  expect(pathOfCode(code("x"), prose("It runs on Node.js, e.g. like this:"))).toBeNull();
});

it("leaves the line out of a path", () => {
  expect(withoutLine("src/main.rs:12:5")).toBe("src/main.rs");
  expect(withoutLine("src/main.rs")).toBe("src/main.rs");
});
