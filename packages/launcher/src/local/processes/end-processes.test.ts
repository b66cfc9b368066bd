import { once } from 'node:events';
import { buildId, systemClock, systemRandomBytes } from '@omnigent/protocol';
import { describe, expect, it, vi } from 'vitest';
import { endProcesses } from './end-processes.ts';
import { findMarked, findTree } from './find-processes.ts';
import { readBootId, readStat } from './process-stat.ts';
import { startTree } from './testing/process-trees.ts';

const options = { clock: systemClock, signal: AbortSignal.timeout(60_000) };
const unset = 'env -u OMNIGENT_HOST_TOKEN';

async function countAlive(pids: readonly number[]): Promise<number> {
  const stats = await Promise.all(pids.map(readStat));
  return stats.filter((stat) => stat !== undefined).length;
}

const target = (hostId: string) => ({ host_id: hostId, isolation: 'none', process: null }) as const;

describe('findMarked', () => {
  it('finds the host and everything that it has started, also what left its session or cleared its environment', async () => {
    const { hostId, child, pids } = await startTree(
      `${unset} sleep 60 & echo $!
       ${unset} setsid sleep 60 & echo $!
       env -i /bin/sleep 60 & echo $!
       echo ready; wait`,
    );
    // A child that has not yet become its program still looks like the host.
    const found = await vi.waitFor(async () => {
      const marked = await findMarked(hostId);
      expect(marked.filter(({ isHost }) => isHost).map(({ pid }) => pid)).toEqual([child.pid]);
      return marked;
    }, 15_000);
    expect(found.map(({ pid }) => pid)).toEqual(expect.arrayContaining([...pids]));
    await endProcesses(target(hostId), options);
  });

  it('finds nothing of a host that was never started', async () =>
    expect(await findMarked(buildId('h', systemRandomBytes))).toEqual([]));
});

describe('findTree', () => {
  it('begins with the root and goes down through all levels', async () => {
    const { hostId, child, pids } = await startTree(
      `bash -c 'echo $$; sleep 60 & echo $!; wait' & echo $!; sleep 0.2; echo ready; wait`,
    );
    const found = (await findTree(child.pid ?? 0))?.map(({ pid }) => pid);
    expect(found?.[0]).toBe(child.pid);
    expect(found).toEqual(expect.arrayContaining([...new Set(pids)]));
    await endProcesses(target(hostId), options);
  });

  it('of a process that has ended is empty', async () => expect(await findTree(2 ** 22)).toEqual([]));
});

describe('endProcesses', () => {
  it('gives programs time to save what they have, through the host', async () => {
    const { hostId, child } = await startTree(
      `trap 'exit 9' TERM; ${unset} sleep 60 & echo ready; while :; do sleep 0.05; done`,
    );
    const exit = once(child, 'exit');
    await endProcesses(target(hostId), options);
    expect(await exit).toEqual([9, null]);
    expect(await findMarked(hostId)).toEqual([]);
  });

  it('kills a host without programs at once', async () => {
    const { hostId, child } = await startTree(`trap '' TERM; echo ready; exec tail -f /dev/null`);
    const exit = once(child, 'exit');
    const beganMs = performance.now();
    await endProcesses(target(hostId), options);
    expect(await exit).toEqual([null, 'SIGKILL']);
    expect(performance.now() - beganMs).toBeLessThan(2_000);
  });

  it('kills what ignores SIGTERM, and what left its parents', async () => {
    const { hostId, pids } = await startTree(
      `trap '' TERM
       (trap '' TERM; ${unset} setsid bash -c 'echo $$; exec sleep 60' & ) ; sleep 0.2
       ${unset} bash -c 'trap "" TERM; while :; do sleep 0.1; done' & echo $!
       echo ready; wait`,
    );
    expect(await countAlive(pids)).toBe(2);
    await endProcesses(target(hostId), options);
    expect(await countAlive(pids)).toBe(0);
    expect(await findMarked(hostId)).toEqual([]);
  });

  it('kills a program that has cleared its environment and loses its parent on the way', async () => {
    const { hostId, pids } = await startTree(`env -i /bin/sleep 60 & echo $!; echo ready; wait`);
    await endProcesses(target(hostId), options);
    expect(await countAlive(pids)).toBe(0);
  });

  it('ends what a dead host has left', async () => {
    const { hostId, child, pids } = await startTree(`${unset} setsid sleep 60 & echo $!; echo ready; wait`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await countAlive(pids)).toBe(1);
    await endProcesses(target(hostId), options);
    expect(await countAlive(pids)).toBe(0);
  });

  it('never touches a process that has got the pid of the recorded one', async () => {
    const { child, hostId } = await startTree('echo ready; exec sleep 60');
    const recorded = { pid: child.pid ?? 0, start_time: '1', boot_id: await readBootId() };
    await endProcesses({ host_id: 'h000000000000', isolation: 'bubblewrap', process: recorded }, options);
    expect(await countAlive([child.pid ?? 0])).toBe(1);
    const startTime = (await readStat(child.pid ?? 0))?.startTime ?? '';
    const earlier = { ...recorded, start_time: startTime, boot_id: 'another run of the machine' };
    await endProcesses({ host_id: 'h000000000000', isolation: 'bubblewrap', process: earlier }, options);
    expect(await countAlive([child.pid ?? 0])).toBe(1);
    await endProcesses(target(hostId), options);
  });

  it('ends with the reason of its signal', async () => {
    const { hostId } = await startTree(`trap '' TERM; ${unset} sleep 60 & echo ready; wait; sleep 60`);
    const reason = new Error('no longer wanted');
    await expect(
      endProcesses(target(hostId), { ...options, signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
    await endProcesses(target(hostId), options);
  });
});
