import fc from 'fast-check';
import { expect, test } from 'vitest';
import { summarize } from './statistics.ts';

test('summarize gives median, 90th percentile and mean', () => {
  expect(summarize([4, 1, 3, 2])).toEqual({ median: 2.5, p90: 3.7, mean: 2.5 });
  expect(summarize([7])).toEqual({ median: 7, p90: 7, mean: 7 });
});

test('summarize stays within the samples, whatever their order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1e6), { minLength: 1 }), (samples) => {
      const { median, p90 } = summarize(samples);
      expect(median).toBeGreaterThanOrEqual(Math.min(...samples));
      expect(p90).toBeGreaterThanOrEqual(median);
      expect(p90).toBeLessThanOrEqual(Math.max(...samples));
      expect(summarize(samples.toReversed())).toEqual({
        ...summarize(samples),
        mean: expect.closeTo(summarize(samples).mean, 6),
      });
    }),
  );
});

test('summarize refuses an empty series', () => {
  expect(() => summarize([])).toThrow('expected at least one sample');
});
