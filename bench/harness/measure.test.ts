import type { Clock } from '@omnigent/protocol';
import { describe, expect, test } from 'vitest';
import type { Benchmark } from './benchmark.ts';
import { measure } from './measure.ts';
import { renderMeasurements } from './render.ts';

/** Sleeps of this clock take no time and are written down. */
function createInstantClock(sleeps: number[]): Clock {
  return {
    now: () => 0,
    monotonicMs: () => 0,
    sleep: (delayMs) => {
      sleeps.push(delayMs);
      return Promise.resolve();
    },
  };
}

interface Trace {
  readonly order: string[];
  disposed: boolean;
}

function buildBenchmark(trace: Trace, limit: Benchmark['limit']): Benchmark {
  return {
    title: 'x',
    unit: 'ms',
    baseline: 'y',
    limit,
    rounds: 3,
    open: () => {
      let subject = 100;
      return Promise.resolve({
        takeSubject: () => (trace.order.push('subject'), Promise.resolve((subject += 10))),
        takeBaseline: () => (trace.order.push('baseline'), Promise.resolve(40)),
        [Symbol.asyncDispose]: () => {
          trace.disposed = true;
          return Promise.resolve();
        },
      });
    },
  };
}

describe('measure', () => {
  test('takes both sides in turns, in an order and with pauses by chance, and drops the first round', async () => {
    const trace: Trace = { order: [], disposed: false };
    const sleeps: number[] = [];
    const draws = [0.1, 0.5, 0.25, 0.9, 1, 0];
    let next = 0;
    const random = (): number => draws[next++ % draws.length] ?? 0;
    const measurement = await measure(buildBenchmark(trace, { atMost: 4 }), {
      clock: createInstantClock(sleeps),
      random,
    });
    expect(trace.order.slice(0, 4)).toEqual(['subject', 'baseline', 'baseline', 'subject']);
    expect(sleeps.slice(0, 4)).toEqual([100, 50, 200, 0]);
    expect(measurement.subjectSummary).toEqual({ median: 130, p90: 138, mean: 130 });
    expect(measurement.ratio).toBe(3.25);
    expect(trace.disposed).toBe(true);
  });

  test.each([
    [{ atMost: 3.25 }, true],
    [{ atMost: 3.2 }, false],
    [{ atLeast: 3.25 }, true],
    [{ atLeast: 3.3 }, false],
  ])('with the limit %j says %s', async (limit, holds) => {
    const options = { clock: createInstantClock([]), random: () => 0 };
    const measurement = await measure(buildBenchmark({ order: [], disposed: false }, limit), options);
    expect(measurement.holds).toBe(holds);
    expect(renderMeasurements([measurement])).toContain(holds ? 'holds' : 'BROKEN');
  });
});
