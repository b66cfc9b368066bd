/** Summaries of samples. */

/** What is reported of a series of samples. */
export interface Summary {
  readonly median: number;
  readonly p90: number;
  readonly mean: number;
}

/** Summarises samples; throws when there is none. */
export function summarize(samples: readonly number[]): Summary {
  return {
    median: pickQuantile(samples, 0.5),
    p90: pickQuantile(samples, 0.9),
    mean: samples.reduce((sum, sample) => sum + sample, 0) / samples.length,
  };
}

/** The quantile of samples, between two of them by proportion. */
export function pickQuantile(samples: readonly number[], quantile: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * quantile;
  const lower = sorted[Math.floor(position)];
  const upper = sorted[Math.ceil(position)];
  if (lower === undefined || upper === undefined) throw new Error('expected at least one sample, found none');
  return lower + (upper - lower) * (position - Math.floor(position));
}
