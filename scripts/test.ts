/**
 * `npm test [-- STEP…]`: builds the bundles, then checks and tests. Steps are `check`, `unit`, `integration`, `contract`,
 * `cluster` and `outage` (all but these two when none is named). With OMNIGENT_REQUIRE_ALL=1 a test that does not run counts as
 * failed. The last line sums up vitest's own reports, which stay in .vitest/.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { addTotals, judgeTotals, parseReport, renderTotals } from './test/report.ts';
import type { Totals } from './test/report.ts';
import { runCommand } from './test/run-command.ts';
import { CHECKS, DEFAULT_STEPS, SUITES } from './test/steps.ts';
import type { Suite } from './test/steps.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const requireAll = process.env.OMNIGENT_REQUIRE_ALL === '1';
const failures: string[] = [];

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Runs one named command and remembers its failure. */
async function runStep(name: string, argv: readonly string[]): Promise<void> {
  say(`\n── ${name}`);
  const outcome = await runCommand(argv, { cwd: root });
  say(`── ${name} ${outcome.ok ? 'passed' : 'FAILED'} after ${outcome.seconds.toFixed(1)} s`);
  if (!outcome.ok) failures.push(name);
}

async function runSuite(suite: Suite): Promise<Totals> {
  const report = `${root}.vitest/${suite}.json`;
  await rm(report, { force: true });
  await runStep(suite, [
    'vitest',
    'run',
    `--project=${suite}`,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]);
  return parseReport(await readFile(report, 'utf8'));
}

const named = process.argv.slice(2);
const steps: readonly string[] = named.length > 0 ? named : DEFAULT_STEPS;
await mkdir(`${root}.vitest`, { recursive: true });
await runStep('build', ['node', 'scripts/bundle.ts']);
if (steps.includes('check')) for (const check of CHECKS) await runStep(check.name, check.argv);
const totals: Totals[] = [];
for (const suite of SUITES) if (steps.includes(suite)) totals.push(await runSuite(suite));

const judged = judgeTotals(addTotals(totals), { requireAll });
if (requireAll) for (const name of judged.skipped) say(`did not run: ${name}`);
for (const text of judged.flaky) say(`passed at the second try: ${text}`);
if (failures.length > 0) say(`\nFailed: ${failures.join(', ')}`);
process.stdout.write(`${renderTotals(judged, { requireAll })}\n`);
process.exitCode = failures.length > 0 || judged.failed > 0 ? 1 : 0;
