import { defineConfig } from "@playwright/test";

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export default defineConfig({
  testDir: "tests/editor",
  outputDir: "test-results",
  reporter: [["list"]],
  workers: 1,
  timeout: 180_000,
  expect: { timeout: 30_000 },
  use: {
    launchOptions: { executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: flags },
    viewport: { width: 1280, height: 800 },
    locale: "en-US",
    trace: "off",
    actionTimeout: 30_000,
  },
});
