import { createFakeClock } from '@omnigent/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBackoff, spreadDelay, toFraction } from './backoff.ts';
import { parseRetryAfter } from './retry-after.ts';
import { withDeadline } from './with-deadline.ts';

const bytes = (value: number) => (size: number) => new Uint8Array(size).fill(value);

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1, 0, 0, 0);
  const cases: [string | string[] | undefined, number | null][] = [
    ['2', 2_000],
    [['3', '4'], 3_000],
    ['Thu, 01 Jan 2026 00:00:05 GMT', 5_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['', null],
    [undefined, null],
    ['-5', null],
    ['1.5', null],
    ['soon', null],
  ];

  it.each(cases)('%j means %j ms', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });

  it('is never negative, whatever it says', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(parseRetryAfter(value, now) ?? 0).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('backoff', () => {
  it('doubles up to its limit, and starts again after a success', () => {
    const backoff = createBackoff({ minMs: 100, maxMs: 400, randomBytes: bytes(0) });
    expect([1, 2, 3, 4].map(() => backoff.nextMs())).toEqual([50, 100, 200, 200]);
    backoff.reset();
    expect(backoff.nextMs()).toBe(50);
  });

  it('is spread over the upper half', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 4, maxLength: 4 }), (random) => {
        const delayMs = createBackoff({ minMs: 100, maxMs: 400, randomBytes: () => random }).nextMs();
        expect(delayMs).toBeGreaterThanOrEqual(50);
        expect(delayMs).toBeLessThan(100);
      }),
    );
  });

  it('never waits less than the server asked', () => {
    expect(spreadDelay(1_000, bytes(0))).toBe(1_000);
    expect(spreadDelay(1_000, bytes(255))).toBeLessThan(1_200.1);
    expect(toFraction(bytes(255))).toBeLessThan(1);
  });
});

describe('a deadline', () => {
  const toError = () => new Error('too late');

  it('ends work that does not listen to its signal', async () => {
    const clock = createFakeClock();
    const signal = new AbortController().signal;
    const working = withDeadline(() => new Promise(() => undefined), {
      clock,
      deadlineMs: 100,
      signal,
      toError,
    });
    working.catch(() => undefined);
    await clock.advance(100);
    await expect(working).rejects.toThrow('too late');
  });

  it('leaves no timer behind when the work is done', async () => {
    const clock = createFakeClock();
    const signal = new AbortController().signal;
    expect(await withDeadline(async () => 'done', { clock, deadlineMs: 100, signal, toError })).toBe('done');
    expect(clock.pending()).toEqual([]);
  });

  it("gives way to the caller's abort, also when that comes first", async () => {
    const clock = createFakeClock();
    const aborting = new AbortController();
    const options = { clock, deadlineMs: 100, signal: aborting.signal, toError };
    const working = withDeadline(() => new Promise(() => undefined), options);
    aborting.abort(new Error('cancelled'));
    await expect(working).rejects.toThrow('cancelled');
    await expect(withDeadline(async () => 'done', options)).rejects.toThrow('cancelled');
  });
});
