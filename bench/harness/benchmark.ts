/** What a benchmark is: a subject and a baseline, measured in turns, and the ratio that it may have. */

/** Takes one sample: milliseconds, MB/s or MiB, as the benchmark says. */
export type Sample = () => Promise<number>;

/** One comparison. */
export interface Benchmark {
  /** What is compared, as a claim would say it. */
  readonly title: string;
  readonly unit: 'ms' | 'MB/s' | 'MiB';
  /** What the baseline is. */
  readonly baseline: string;
  /** The ratio of subject to baseline that holds: not above `atMost`, not below `atLeast`. */
  readonly limit: { readonly atMost: number } | { readonly atLeast: number };
  readonly rounds: number;
  /** Makes everything that both sides need; is undone when its answer is disposed. */
  open(): Promise<OpenBenchmark>;
}

/** A benchmark that can be sampled. */
export interface OpenBenchmark extends AsyncDisposable {
  readonly takeSubject: Sample;
  readonly takeBaseline: Sample;
}
