import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { PYTHON_REAPER } from './reaper.ts';

const reap = (...command: string[]) =>
  spawnSync('python3', ['-c', PYTHON_REAPER, ...command], { encoding: 'utf8' });

describe('the python reaper', () => {
  it.each([
    ['exit 7', 7],
    ['kill -9 $$', 137],
    ['(sleep 0 &) ; exit 3', 3],
  ])('ends %j with %d', (script, status) => expect(reap('sh', '-c', script).status).toBe(status));

  it('says which program does not exist', () => {
    expect(reap('no-such-program')).toMatchObject({
      status: 127,
      stderr: 'no-such-program: No such file or directory\n',
    });
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('forwards %s and ends as its command does', async (signal) => {
    const script = `trap 'echo caught; exit 5' TERM INT; echo up; while :; do sleep 0.05; done`;
    const reaper = spawn('python3', ['-c', PYTHON_REAPER, 'sh', '-c', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    createInterface({ input: reaper.stdout }).on('line', (line) => {
      lines.push(line);
      if (line === 'up') reaper.kill(signal);
    });
    const [status] = await once(reaper, 'close');
    expect({ status, lines }).toEqual({ status: 5, lines: ['up', 'caught'] });
  });

  it('reaps orphans of its command, although it is not PID 1', () => {
    const script = `(sh -c 'sleep 0.05' &) ; sleep 0.3; ps -o stat= --ppid $PPID | grep -c Z`;
    expect(reap('sh', '-c', script).stdout).toBe('0\n');
  });
});
