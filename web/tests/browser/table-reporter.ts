// Shows what a measurement prints, and nothing else unless it fails.

import type { Reporter, TestCase, TestResult } from "@playwright/test/reporter";

export default class TableReporter implements Reporter {
  onStdOut(chunk: string | Buffer): void {
    process.stdout.write(chunk);
  }

  onStdErr(chunk: string | Buffer): void {
    process.stderr.write(chunk);
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    for (const error of result.errors) process.stderr.write(`${test.title}: ${error.stack ?? error.message ?? ""}\n`);
  }

  printsToStdio(): boolean {
    return true;
  }
}
