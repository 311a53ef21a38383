import { defineConfig } from "@playwright/test";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export default defineConfig({
  testDir: "tests/browser",
  outputDir: "test-results",
  reporter: [["list"]],
  workers: 1,
  // The machines are shared: what fails runs once more, and is reported as flaky if it passes then.
  retries: 1,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  use: {
    launchOptions: { executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: flags },
    locale: "en-US",
    trace: "off",
    actionTimeout: 15_000,
  },
  projects: [
    { name: "desktop", testMatch: /.*\.spec\.ts/, use: { viewport: { width: 1280, height: 800 } } },
    { name: "phone", testMatch: /.*\.spec\.ts/, use: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 } },
    { name: "real", testMatch: /.*\.real\.ts/, use: { viewport: { width: 1280, height: 800 } } },
    { name: "bench", testMatch: /.*\.bench\.ts/ },
    { name: "screens", testMatch: /.*\.screens\.ts/, use: { viewport: { width: 1280, height: 800 } } },
  ],
});
