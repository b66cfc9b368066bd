import { describe, expect, test } from 'vitest';
import { addTotals, judgeTotals, parseReport, renderTotals } from './report.ts';

function buildReport(
  statuses: readonly string[],
  overrides: { success?: boolean; fileStatus?: string } = {},
): string {
  return JSON.stringify({
    success: overrides.success ?? !statuses.includes('failed'),
    testResults: [
      {
        name: 'a.test.ts',
        status: overrides.fileStatus ?? (statuses.includes('failed') ? 'failed' : 'passed'),
        assertionResults: statuses.map((status, index) => ({ fullName: `test ${index}`, status })),
      },
    ],
  });
}

describe('parseReport', () => {
  test('counts passed and failed tests and names those that did not run', () => {
    expect(parseReport(buildReport(['passed', 'passed', 'failed', 'skipped', 'todo']))).toEqual({
      passed: 2,
      failed: 1,
      skipped: ['test 3', 'test 4'],
      flaky: [],
    });
  });

  test('names what passed only at the second try, and why not at the first', () => {
    const failureMessages = ['Error: the port was taken\n    at line 1'];
    const assertionResults = [{ fullName: 'a server listens', status: 'passed', failureMessages }];
    const file = { name: 'a.test.ts', status: 'passed', assertionResults };
    expect(parseReport(JSON.stringify({ success: true, testResults: [file] }))).toEqual({
      passed: 1,
      failed: 0,
      skipped: [],
      flaky: ['a server listens: Error: the port was taken'],
    });
  });

  test('counts a file that cannot be loaded as one failed test', () => {
    expect(parseReport(buildReport([], { success: false, fileStatus: 'failed' })).failed).toBe(1);
  });

  test('counts an error outside any test as one failed test', () => {
    expect(parseReport(buildReport(['passed'], { success: false })).failed).toBe(1);
  });

  test('refuses a report of another shape', () => {
    expect(() => parseReport('{}')).toThrow(/testResults/);
  });
});

describe('totals', () => {
  const totals = addTotals([
    parseReport(buildReport(['passed', 'skipped'])),
    parseReport(buildReport(['failed'])),
  ]);

  test('are summed over reports', () => {
    expect(totals).toEqual({ passed: 1, failed: 1, skipped: ['test 1'], flaky: [] });
  });

  test('count a skipped test as failed where all are required', () => {
    const judged = judgeTotals(totals, { requireAll: true });
    expect(judged.failed).toBe(2);
    expect(renderTotals(judged, { requireAll: true })).toBe('1 passed, 2 failed');
  });

  test('show skipped tests where they are permitted', () => {
    expect(renderTotals(judgeTotals(totals, { requireAll: false }), { requireAll: false })).toBe(
      '1 passed, 1 failed, 1 skipped',
    );
  });
});
