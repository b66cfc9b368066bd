/** Reads vitest's own JSON reports: the one place that decides what a run of tests amounts to. */
import { z } from 'zod';

const vitestReportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          // vitest keeps what went wrong at the first try of a test that then passed.
          failureMessages: z.array(z.string()).optional(),
        }),
      ),
    }),
  ),
  success: z.boolean(),
});

/** What one run of a suite amounts to. A file that cannot be loaded counts as one failed test. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  /** Full names of the tests that did not run. */
  readonly skipped: readonly string[];
  /** Tests that passed only at the second try, each with what went wrong at the first. */
  readonly flaky: readonly string[];
}

/** Parses a report that vitest's `json` reporter has written. */
export function parseReport(text: string): Totals {
  const report = vitestReportSchema.parse(JSON.parse(text));
  const tests = report.testResults.flatMap((file) => file.assertionResults);
  const count = (status: string): number => tests.filter((test) => test.status === status).length;
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = count('failed') + brokenFiles;
  return {
    passed: count('passed'),
    // An error outside any test (an unhandled rejection) fails the run, too.
    failed: failed === 0 && !report.success ? 1 : failed,
    skipped: tests
      .filter((test) => test.status !== 'passed' && test.status !== 'failed')
      .map((test) => test.fullName),
    flaky: tests.flatMap(({ fullName, status, failureMessages: [message] = [] }) =>
      status === 'passed' && message !== undefined ? [`${fullName}: ${message.split('\n', 1)[0]}`] : [],
    ),
  };
}

/** Sums totals up. */
export function addTotals(all: readonly Totals[]): Totals {
  return {
    passed: all.reduce((sum, totals) => sum + totals.passed, 0),
    failed: all.reduce((sum, totals) => sum + totals.failed, 0),
    skipped: all.flatMap((totals) => totals.skipped),
    flaky: all.flatMap((totals) => totals.flaky),
  };
}

/** With `requireAll`, a test that did not run counts as failed: in CI nothing may excuse itself. */
export function judgeTotals(totals: Totals, options: { requireAll: boolean }): Totals {
  if (!options.requireAll) return totals;
  return { ...totals, failed: totals.failed + totals.skipped.length };
}

/** The closing line: `N passed, N failed`, with the skipped ones when there are any that do not count as failed. */
export function renderTotals(totals: Totals, options: { requireAll: boolean }): string {
  const counts = `${totals.passed} passed, ${totals.failed} failed`;
  const skipped = totals.skipped.length;
  return skipped > 0 && !options.requireAll ? `${counts}, ${skipped} skipped` : counts;
}
