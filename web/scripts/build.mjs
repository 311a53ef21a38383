// Builds the page into a folder (dist by default) and puts compressed forms beside each file, so that the hub only
// has to hand them out.

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
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
    const plain = readFileSync(path);
    writeFileSync(`${path}.gz`, gzipSync(plain, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
    writeFileSync(`${path}.br`, brotliCompressSync(plain, { params }));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildInto(join(ROOT, "dist"));
