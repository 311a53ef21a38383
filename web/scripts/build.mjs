// Builds the page into a folder (dist by default) and puts a compressed form beside each file: that is what the hub
// carries and hands out.

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Pictures are compressed already. */
const COMPRESSED = /\.(html|js|css|svg|json|webmanifest)$/;

export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
}

export async function buildInto(folder) {
  await build({ root: ROOT, logLevel: "warn", build: { outDir: folder, emptyOutDir: true } });
  for (const name of filesBelow(folder)) {
    if (!COMPRESSED.test(name)) continue;
    const path = join(folder, name);
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildInto(join(ROOT, "dist"));
