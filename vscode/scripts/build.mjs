// Bundles the extension into dist/: the host's side as one file, and the conversation as one script and one style sheet.
// With --tests, the unit tests instead. The bundlers are those of the page.

import { readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const WEB = join(ROOT, "../web");
const ofPage = createRequire(join(WEB, "package.json"));
const load = (name) => import(pathToFileURL(ofPage.resolve(name)));
const folderOf = (name) => join(WEB, "node_modules", name);

/** What the editor brings, and what `ws` does without. */
const ABSENT = ["vscode", "bufferutil", "utf-8-validate"];

async function bundle(input, output) {
  const { build } = await load("rolldown");
  await build({ input, platform: "node", external: [/^node:/, ...ABSENT], logLevel: "warn", output });
}

async function bundleWebview() {
  const { build } = await load("vite");
  await build({
    root: ROOT,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    // One copy of each, and the page's: hooks and signals must not be there twice.
    resolve: { alias: { "@preact/signals": folderOf("@preact/signals"), preact: folderOf("preact") } },
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      outDir: join(ROOT, "dist"),
      emptyOutDir: false,
      target: "es2022",
      cssTarget: "chrome123",
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      lib: { entry: join(ROOT, "src/webview/main.tsx"), formats: ["iife"], name: "synapse", fileName: () => "webview.js", cssFileName: "webview" },
    },
  });
}

if (process.argv.includes("--tests")) {
  const folder = join(ROOT, "tests/unit");
  const input = Object.fromEntries(readdirSync(folder).map((name) => [name.replace(/\.ts$/, ""), join(folder, name)]));
  rmSync(join(ROOT, "dist/tests"), { recursive: true, force: true });
  await bundle(input, { dir: join(ROOT, "dist/tests"), format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "chunks/[name].mjs" });
} else {
  rmSync(join(ROOT, "dist"), { recursive: true, force: true });
  await bundle(join(ROOT, "src/extension.ts"), { file: join(ROOT, "dist/extension.cjs"), format: "cjs", minify: true });
  await bundleWebview();
}
