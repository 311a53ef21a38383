// Fails if dist is not what the sources build, if it is larger than its budget, or if it names another origin.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { buildInto, filesBelow } from "./build.mjs";

const DIST = fileURLToPath(new URL("../dist", import.meta.url));
const FIRST_LOAD_BYTES = 60_000;
const TERMINAL_BYTES = 140_000;

const problems = [];
const fresh = mkdtempSync(join(tmpdir(), "synapse-page-"));
try {
  await buildInto(fresh);
  compare(filesBelow(fresh), filesBelow(DIST));
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
checkBudget();
checkOrigins();
if (problems.length > 0) {
  console.error(problems.map((problem) => `web/dist: ${problem}`).join("\n"));
  console.error("`make web` builds it anew");
  process.exit(1);
}

// Compressors differ between versions of Node, so the compressed forms are compared by what they hold.
function compare(wanted, found) {
  for (const name of wanted) if (!found.includes(name)) problems.push(`${name} is missing`);
  for (const name of found) {
    if (!wanted.includes(name)) problems.push(`${name} is not built any more`);
    else if (!open(fresh, name).equals(open(DIST, name))) problems.push(`${name} is not current`);
  }
}

function open(folder, name) {
  const bytes = readFileSync(join(folder, name));
  if (name.endsWith(".gz")) return gunzipSync(bytes);
  return bytes;
}

function checkBudget() {
  const page = readFileSync(join(DIST, "index.html"), "utf8");
  const first = ["index.html", ...[...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map((match) => match[1])];
  const terminal = filesBelow(DIST).filter((name) => /terminal-view.*\.(js|css)$/.test(name));
  const size = (names) => names.reduce((sum, name) => sum + gzipSync(readFileSync(join(DIST, name)), { level: 9 }).length, 0);
  const [firstSize, terminalSize] = [size(first), size(terminal)];
  console.log(`first load ${firstSize} B gz of ${FIRST_LOAD_BYTES}, terminal ${terminalSize} B gz of ${TERMINAL_BYTES}`);
  if (firstSize > FIRST_LOAD_BYTES) problems.push(`the first load has ${firstSize} B gz, more than ${FIRST_LOAD_BYTES}`);
  if (terminalSize > TERMINAL_BYTES) problems.push(`the terminal has ${terminalSize} B gz, more than ${TERMINAL_BYTES}`);
  if (terminal.length === 0) problems.push("the terminal is not a chunk of its own");
}

// Addresses in comments and namespaces load nothing; these forms would.
function checkOrigins() {
  const loads = /(?:src|href)\s*=\s*["']https?:|@import\s+["']?https?:|url\(\s*["']?https?:|import\(\s*["']https?:/;
  for (const name of filesBelow(DIST).filter((name) => /\.(html|js|css|svg|webmanifest)$/.test(name))) {
    if (loads.test(readFileSync(join(DIST, name), "utf8"))) problems.push(`${name} loads from another origin`);
  }
}
