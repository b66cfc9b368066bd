/** Prints the sum of the reports in .vitest/ as the one closing line: `node scripts/test/totals.ts`. */
import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { addTotals, judgeTotals, parseReport, renderTotals } from './report.ts';

const folder = fileURLToPath(new URL('../../.vitest/', import.meta.url));
const requireAll = process.env.OMNIGENT_REQUIRE_ALL === '1';
const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
const reports = await Promise.all(names.map((name) => readFile(folder + name, 'utf8')));
const judged = judgeTotals(addTotals(reports.map((report) => parseReport(report))), { requireAll });
for (const text of judged.flaky) process.stderr.write(`passed at the second try: ${text}\n`);
process.stdout.write(`${renderTotals(judged, { requireAll })}\n`);
