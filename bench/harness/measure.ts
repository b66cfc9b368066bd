/** Samples subject and baseline in turns. */
import type { Clock } from '@omnigent/protocol';
import type { Benchmark, OpenBenchmark } from './benchmark.ts';
import { summarize } from './statistics.ts';
import type { Summary } from './statistics.ts';

/** Longest pause between two samples. A constant one would fall into step with whatever else ticks on the machine. */
const LONGEST_PAUSE_MS = 200;

/** What a benchmark depends on beside itself. */
export interface MeasureOptions {
  readonly clock: Clock;
  /** Between 0 and 1. */
  readonly random: () => number;
}

/** What was measured. */
export interface Measurement {
  readonly title: string;
  readonly unit: string;
  readonly baseline: string;
  readonly limit: Benchmark['limit'];
  readonly rounds: number;
  readonly subjectSummary: Summary;
  readonly baselineSummary: Summary;
  /** Median of the subject by median of the baseline. */
  readonly ratio: number;
  readonly holds: boolean;
}

/** Measures one benchmark; the first round only warms caches up and is not counted. */
export async function measure(benchmark: Benchmark, options: MeasureOptions): Promise<Measurement> {
  await using open = await benchmark.open();
  const subject: number[] = [];
  const baseline: number[] = [];
  for (let round = 0; round <= benchmark.rounds; round += 1) {
    const samples = await takeRound(open, options);
    if (round === 0) continue;
    subject.push(samples.subject);
    baseline.push(samples.baseline);
  }
  return judge(benchmark, summarize(subject), summarize(baseline));
}

/** One sample of each, in random order, each after a random pause. */
async function takeRound(
  open: OpenBenchmark,
  { clock, random }: MeasureOptions,
): Promise<{ subject: number; baseline: number }> {
  const taken = { subject: 0, baseline: 0 };
  const sides = ['subject', 'baseline'] as const;
  for (const side of random() < 0.5 ? sides : sides.toReversed()) {
    await clock.sleep(random() * LONGEST_PAUSE_MS);
    taken[side] = side === 'subject' ? await open.takeSubject() : await open.takeBaseline();
  }
  return taken;
}

function judge(benchmark: Benchmark, subjectSummary: Summary, baselineSummary: Summary): Measurement {
  const { title, unit, baseline, limit, rounds } = benchmark;
  const ratio = subjectSummary.median / baselineSummary.median;
  const holds = 'atMost' in limit ? ratio <= limit.atMost : ratio >= limit.atLeast;
  return { title, unit, baseline, limit, rounds, subjectSummary, baselineSummary, ratio, holds };
}
