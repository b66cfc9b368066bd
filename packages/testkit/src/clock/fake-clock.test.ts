import { describe, expect, it } from 'vitest';
import { createFakeClock } from './fake-clock.ts';

describe('a fake clock', () => {
  it('stands still by itself', async () => {
    const clock = createFakeClock({ startMs: 1_000 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([clock.now(), clock.monotonicMs()]).toEqual([1_000, 0]);
  });

  it('wakes sleepers in the order in which they are due, at their time', async () => {
    const clock = createFakeClock();
    const woken: [string, number][] = [];
    const sleep = async (name: string, delayMs: number) => {
      await clock.sleep(delayMs);
      woken.push([name, clock.monotonicMs()]);
    };
    const all = [sleep('late', 30), sleep('early', 10), sleep('same', 10)];
    await clock.advance(20);
    expect(woken).toEqual([
      ['early', 10],
      ['same', 10],
    ]);
    await clock.advance(10);
    await Promise.all(all);
    expect(woken.at(-1)).toEqual(['late', 30]);
  });

  it('wakes those that fall asleep on the way', async () => {
    const clock = createFakeClock();
    let count = 0;
    const ticking = (async () => {
      for (; count < 5; count += 1) await clock.sleep(10);
    })();
    await clock.advance(50);
    await ticking;
    expect(count).toBe(5);
  });

  it('rejects an aborted sleep with the reason, and forgets it', async () => {
    const clock = createFakeClock();
    const aborting = new AbortController();
    const sleeping = clock.sleep(10, { signal: aborting.signal });
    aborting.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    await expect(clock.sleep(10, { signal: aborting.signal })).rejects.toThrow('enough');
    expect(clock.pending()).toEqual([]);
  });

  it('goes on to the next sleeper, and says when there is none', async () => {
    const clock = createFakeClock();
    const sleeping = clock.sleep(70);
    expect(await clock.advanceToNext()).toBe(true);
    await sleeping;
    expect(clock.monotonicMs()).toBe(70);
    expect(await clock.advanceToNext()).toBe(false);
  });

  it('lets the wall clock jump alone', () => {
    const clock = createFakeClock({ startMs: 1_000 });
    clock.jump(3_600_000);
    expect([clock.now(), clock.monotonicMs()]).toEqual([3_601_000, 0]);
  });

  it('says who sleeps, and waits until somebody does', async () => {
    const clock = createFakeClock();
    const first = clock.sleep(100);
    await clock.advance(40);
    expect([clock.pending(), clock.requested()]).toEqual([[60], [100]]);
    const later = clock.untilSleeping(25, 5);
    const second = clock.sleep(22);
    await later;
    await clock.advance(100);
    await Promise.all([first, second]);
  });
});
