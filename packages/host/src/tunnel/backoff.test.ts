import { describe, expect, it } from 'vitest';
import { countConnection, toDelayMs } from './backoff.ts';
import type { Attempts, EndedConnection } from './backoff.ts';

const NONE: Attempts = { failures: 0, shortInRow: 0 };
const CUT: EndedConnection = { wasHealthy: true, durationMs: 60_000, wasSentAway: false };

function repeat(times: number, ended: EndedConnection): Attempts {
  return Array.from({ length: times }).reduce<Attempts>((attempts) => countConnection(attempts, ended), NONE);
}

describe('countConnection', () => {
  it('dials at once after a healthy connection', () =>
    expect(countConnection({ failures: 7, shortInRow: 3 }, CUT)).toEqual(NONE));

  it('counts a server that accepts and never speaks as failed', () =>
    expect(repeat(3, { ...CUT, wasHealthy: false, durationMs: 10_000 }).failures).toBe(3));

  it('forgives a network that cuts again and again', () =>
    expect(repeat(20, { ...CUT, durationMs: 10 }).failures).toBe(0));

  it('slows down for a server that speaks and closes at once', () => {
    expect(repeat(21, { ...CUT, durationMs: 10 }).failures).toBe(1);
    expect(toDelayMs(repeat(40, { ...CUT, durationMs: 10 }).failures, 1)).toBe(10_000);
    expect(countConnection(repeat(40, { ...CUT, durationMs: 10 }), CUT)).toEqual(NONE);
  });

  it('spreads hosts that were sent away', () =>
    expect(countConnection(NONE, { ...CUT, wasSentAway: true }).failures).toBe(1));
});

describe('toDelayMs', () => {
  it.each([
    [0, 1, 0],
    [1, 1, 250],
    [1, 0.5, 125],
    [3, 1, 1_000],
    [7, 1, 10_000],
    [5_000, 1, 10_000],
    [9, 0, 0],
  ])('after %d failures at %d is %d', (failures, random, delayMs) =>
    expect(toDelayMs(failures, random)).toBe(delayMs),
  );
});
