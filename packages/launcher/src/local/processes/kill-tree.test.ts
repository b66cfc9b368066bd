import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { killTree } from './kill-tree.ts';
import { readStat } from './process-stat.ts';
import { startTree } from './testing/process-trees.ts';

describe('killTree', () => {
  it('leaves neither the root nor what is below it', async () => {
    const { child, pids } = await startTree(
      `bash -c 'sleep 60 & echo $!; wait' & echo $!; sleep 0.2; echo ready; wait`,
    );
    const exit = once(child, 'exit');
    await killTree(child.pid ?? 0);
    expect(await exit).toEqual([null, 'SIGKILL']);
    while ((await Promise.all(pids.map(readStat))).some((stat) => stat !== undefined))
      await new Promise((resolve) => setImmediate(resolve));
    expect(pids.length).toBe(2);
  });

  it('of a process that has ended does nothing', async () =>
    await expect(killTree(2 ** 22)).resolves.toBeUndefined());
});
