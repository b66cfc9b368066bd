import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isAlive, parseStat, readStat } from './process-stat.ts';

const FIELDS = 'S 41 42 42 0 -1 4194304 90 0 0 0 1 0 0 0 20 0 1 0 778899 2818048 230';

describe('parseStat', () => {
  it.each(['sh', 'a b', ') S 1 (', 'x) Z 9 9 (y)'])('reads past a program named %j', (name) =>
    expect(parseStat(43, `43 (${name}) ${FIELDS}`)).toEqual({ pid: 43, parent: 41, startTime: '778899' }),
  );

  it.each(['Z', 'X'])('takes a process in state %s for ended', (state) =>
    expect(parseStat(43, `43 (sh) ${FIELDS.replace('S', state)}`)).toBeUndefined(),
  );

  it.each(['', '43 (sh)', '43 (sh) S 41'])('takes %j for ended', (text) =>
    expect(parseStat(43, text)).toBeUndefined(),
  );
});

describe('isAlive', () => {
  it('is true of a running process, false of another one under its pid, false once it has ended', async () => {
    const child = spawn('sleep', ['60']);
    const stat = await readStat(child.pid ?? 0);
    expect(stat?.parent).toBe(process.pid);
    const { pid = 0, startTime = '' } = stat ?? {};
    expect(await isAlive({ pid, startTime })).toBe(true);
    expect(await isAlive({ pid, startTime: `${startTime}0` })).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await isAlive({ pid, startTime })).toBe(false);
  });
});
