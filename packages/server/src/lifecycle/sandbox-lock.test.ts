import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock } from '@omnigent/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEASE_MS } from '../store/lease-store.ts';
import { openStore } from '../store/store.ts';
import type { Store } from '../store/store.ts';
import { SandboxLock } from './sandbox-lock.ts';

const ID = 's0123456789ab';
let directory = '';
let stores: Store[] = [];
const clock = createFakeClock();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sandbox-lock-'));
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await rm(directory, { recursive: true, force: true });
});

/** The lock of one more server process on the same database. */
async function openProcess(): Promise<SandboxLock> {
  const store = await openStore({ url: `sqlite:${join(directory, 'db')}`, isExclusive: false, clock });
  stores.push(store);
  return new SandboxLock(store.leases, clock);
}

/** Lets time pass in small steps, while `each` happens once a second. */
async function pass(ms: number, each: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    await each();
    await clock.advance(1_000);
    await new Promise(setImmediate);
  }
}

/** An operation that goes on until it is ended. */
function begin(lock: SandboxLock, name: string, log: string[]) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = lock.run(ID, async () => {
    log.push(`${name} begins`);
    await promise;
    log.push(`${name} ends`);
  });
  return { end: resolve, done };
}

describe('SandboxLock', () => {
  it('lets one operation of a sandbox run at a time, also among processes', async () => {
    const [one, other] = [await openProcess(), await openProcess()];
    const log: string[] = [];
    const first = begin(one, 'first', log);
    await expect.poll(() => log).toEqual(['first begins']);
    const second = begin(other, 'second', log);
    await pass(5_000);
    expect(log).toEqual(['first begins']);
    first.end();
    await first.done;
    await pass(3_000);
    second.end();
    await second.done;
    expect(log).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  });

  it('waits for a process that lives, however long', async () => {
    const [one, other] = [await openProcess(), await openProcess()];
    const log: string[] = [];
    const first = begin(one, 'first', log);
    await expect.poll(() => log).toHaveLength(1);
    const second = begin(other, 'second', log);
    await pass(3 * LEASE_MS, () => one.beat());
    expect(log).toEqual(['first begins']);
    first.end();
    await first.done;
    await pass(2_000);
    second.end();
    await second.done;
  });

  it('takes over from a process that died, which learns of it should it come back', async () => {
    const [one, other] = [await openProcess(), await openProcess()];
    const log: string[] = [];
    const first = begin(one, 'first', log);
    await expect.poll(() => log).toHaveLength(1);
    const second = begin(other, 'second', log);
    await pass(LEASE_MS + 3_000);
    expect(log).toEqual(['first begins', 'second begins']);
    expect(await one.beat()).toEqual([ID]);
    expect(await other.beat()).toEqual([]);
    first.end();
    second.end();
    await Promise.all([first.done, second.done]);
  });

  it('keeps a claim until its operation has ended', async () => {
    const [one, other] = [await openProcess(), await openProcess()];
    await one.claim(ID);
    await expect(other.claim(ID)).rejects.toMatchObject({ code: 'internal' });
    await one.run(ID, async () => undefined);
    await expect(other.claim(ID)).resolves.toBeUndefined();
  });

  it('ends its waiting when it is closed', async () => {
    const [one, other] = [await openProcess(), await openProcess()];
    await one.claim(ID);
    const waiting = other.run(ID, async () => 'never');
    await pass(2_000);
    other.close();
    await expect(waiting).rejects.toMatchObject({ code: 'shutting_down' });
  });
});
