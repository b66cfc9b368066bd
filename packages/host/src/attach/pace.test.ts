import { describe, expect, it } from 'vitest';
import { Pace } from './pace.ts';

/** Sends all there is room for and acknowledges it later, over and over; returns the last round's bytes. */
function run(pace: Pace, delayMs: number, rounds: number): number {
  let sent = 0;
  let last = 0;
  for (let round = 0, nowMs = 0; round < rounds; round += 1, nowMs += delayMs) {
    last = pace.room;
    sent += last;
    pace.sent(last, nowMs);
    pace.acked(sent, nowMs + delayMs);
  }
  return last;
}

describe('the pace of a viewer', () => {
  it('grows to 1 MiB for one that answers at once', () => {
    expect(run(new Pace(), 5, 10)).toBe(1024 * 1024);
  });

  it('shrinks to 8 KiB for one that answers late', () => {
    expect(run(new Pace(), 2_000, 10)).toBe(8 * 1024);
  });

  it('stays for one at a far place', () => {
    expect(run(new Pace(), 250, 10)).toBe(128 * 1024);
  });

  it('gives no room for answers to what was never sent', () => {
    const pace = new Pace();
    pace.sent(128 * 1024, 0);
    pace.acked(10 ** 9, 1);
    expect(pace.room).toBe(0);
  });
});
