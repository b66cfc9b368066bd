/**
 * `npm run bench [-- GROUP|WORDS…]`: measures against baselines that run in turns with it, prints a table of ratios on standard
 * output and writes everything to bench/results. Exits 1 when a ratio is not what it must be. An argument is the name
 * of a group (`local`, `load`, `kubernetes`) or a part of a title; with none, everything that can be measured here is.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { systemClock, toIsoTime } from '@omnigent/protocol';
import { BENCHMARKS } from '../bench/benchmarks.ts';
import type { Benchmark } from '../bench/harness/benchmark.ts';
import { measure } from '../bench/harness/measure.ts';
import type { Measurement } from '../bench/harness/measure.ts';
import { renderMeasurements } from '../bench/harness/render.ts';

const results = fileURLToPath(new URL('../bench/results/', import.meta.url));

function pickBenchmarks(words: readonly string[]): Benchmark[] {
  return Object.entries(BENCHMARKS).flatMap(([group, benchmarks]) =>
    benchmarks.filter(({ title }) => words.some((word) => word === group || title.includes(word))),
  );
}

/** Everything that can be measured here: what needs a cluster only where there is one. */
function listGroups(): string[] {
  if (process.env.KUBECONFIG !== undefined) return Object.keys(BENCHMARKS);
  process.stderr.write('KUBECONFIG is not set: nothing is measured on Kubernetes\n');
  return Object.keys(BENCHMARKS).filter((group) => group !== 'kubernetes');
}

// A Ctrl-C reaches what is being measured, too: it ends, and what it was given is removed.
process.on('SIGINT', () => {});
const words = process.argv.slice(2);
const picked = pickBenchmarks(words.length > 0 ? words : listGroups());
if (picked.length === 0) throw new Error('no benchmark has such a group or title');
const measurements: Measurement[] = [];
for (const benchmark of picked) {
  process.stderr.write(`${benchmark.title} …\n`);
  measurements.push(await measure(benchmark, { clock: systemClock, random: Math.random }));
}
process.stdout.write(`${renderMeasurements(measurements)}\n`);

const at = toIsoTime(systemClock.now());
const machine = { cpus: cpus().map(({ model }) => model), node: process.version };
await mkdir(results, { recursive: true });
await writeFile(`${results}${at}.json`, `${JSON.stringify({ at, machine, measurements }, null, 2)}\n`);
process.exitCode = measurements.every(({ holds }) => holds) ? 0 : 1;
