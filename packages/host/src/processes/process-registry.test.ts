import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProcessSchema } from '@omnigent/protocol';
import type { StartProcessInput } from '@omnigent/protocol';
import { openPrograms, readProgram, sh, whenPrinted } from '../testing/programs.ts';
import type { TestPrograms } from '../testing/programs.ts';
import type { ProcessRegistry } from './process-registry.ts';
import type { SupervisedProcess } from './supervised-process.ts';

let programs: TestPrograms;
let directory: string;
let registry: ProcessRegistry;
beforeEach(async () => {
  programs = await openPrograms();
  ({ directory, registry } = programs);
  await writeFile(join(directory, 'data'), 'no program', { mode: 0o644 });
  await writeFile(join(directory, 'script'), '#!/no/such/interpreter\n', { mode: 0o755 });
});
afterEach(async () => await programs[Symbol.asyncDispose]());

const start = (id: string, request: StartProcessInput): SupervisedProcess => programs.start(id, request);
const read = readProgram;

/** How many processes have this command line. */
async function countRunning(commandLine: string): Promise<number> {
  const script = `ps -eo args= | grep -c "^${commandLine}$" || true`;
  return Number((await read(start(`ps-${crypto.randomUUID()}`, sh(script)))).stdout);
}

describe('ProcessRegistry', () => {
  it('records both streams and ends the log with the exit', async () => {
    expect(await read(start('p', sh('echo out; echo err >&2; exit 7')))).toMatchObject({
      stdout: 'out\n',
      stderr: 'err\n',
      exit: { exit_code: 7, signal: null, oom_killed: false, error: null },
    });
  });

  it('starts a program once, however often it is asked, and refuses another under its id', async () => {
    const request = startProcessSchema.parse(sh(`echo x >> ${directory}/count`));
    const first = registry.start('same', request);
    const second = registry.start('same', request);
    expect([first.isNew, second.isNew, second.process === first.process]).toEqual([true, false, true]);
    await first.process.ended;
    expect(await read(start('check', { argv: ['cat', 'count'] }))).toMatchObject({ stdout: 'x\n' });
    expect(() => start('same', sh('true'))).toThrow(expect.objectContaining({ code: 'process_conflict' }));
  });

  it.each([
    [{ argv: ['no-such-program'] }, 'program_not_found', 'was not found in PATH'],
    [{ argv: ['./no-such-program'] }, 'program_not_found', 'was not found at'],
    [{ argv: ['./data'] }, 'program_not_executable', 'no execute permission'],
    [{ argv: ['./script'] }, 'program_not_executable', 'its interpreter /no/such/interpreter does not exist'],
    [{ argv: ['/usr'] }, 'program_not_executable', 'is a directory'],
    [
      { argv: ['true'], cwd: '/no/such/directory' },
      'program_not_executable',
      'the working directory /no/such/directory does not exist',
    ],
  ])('ends %j with an exit record that says why', async (request, code, text) => {
    const { exit } = await read(start('p', request));
    expect(exit.error?.code).toBe(code);
    expect(exit.error?.message).toContain(text);
  });

  it('stops what left the group and the session too', async () => {
    const program = start('p', sh('setsid sleep 3001 & sleep 3001 & echo up; wait'));
    await whenPrinted(program, 'up');
    await program.stop(5_000);
    expect((await read(program)).exit.signal).toBe('SIGTERM');
    expect(await countRunning('sleep 3001')).toBe(0);
  });

  it('stops descendants that ignore SIGTERM, with SIGKILL after the grace', async () => {
    const script = `trap '' TERM; sleep 3002`;
    const program = start('p', sh(`(${script}) & echo up; wait`));
    await whenPrinted(program, 'up');
    await program.stop(100);
    expect(await countRunning('sleep 3002')).toBe(0);
  });

  it('stops everything that any program has left behind when the host stops', async () => {
    await read(start('left', sh('setsid sleep 3003 >/dev/null 2>&1 & echo done')));
    const running = start('running', sh('sleep 3003'));
    await registry.stopAll(5_000);
    expect((await read(running)).exit.signal).toBe('SIGTERM');
    expect(() => start('late', sh('true'))).toThrow(expect.objectContaining({ code: 'shutting_down' }));
    await using others = await openPrograms();
    const { stdout } = await read(others.start('ps', sh('ps -eo args= | grep -c "^sleep 3003$" || true')));
    expect(stdout).toBe('0\n');
  });

  it('leaves background children alone when only a log is forgotten', async () => {
    await read(start('p', sh('setsid sleep 3004 >/dev/null 2>&1 & echo done')));
    await registry.remove('p');
    expect(await countRunning('sleep 3004')).toBe(1);
  });

  it('ends when the program ends, although a background child keeps its pipes open', async () => {
    const { stdout, exit } = await read(start('p', sh('sleep 30 & echo done')));
    expect([stdout, exit.exit_code]).toEqual(['done\n', 0]);
  });

  it('ends a program that reaches its time limit and says so', async () => {
    const { exit } = await read(start('p', { argv: ['sleep', '60'], limits: { timeout_seconds: 0.2 } }));
    expect(exit).toMatchObject({ signal: 'SIGTERM', timed_out: true });
  });

  it('loses nothing of 100 programs that print a megabyte and exit at once', async () => {
    const results = [];
    for (let round = 0; round < 10; round += 1) {
      const programs = Array.from({ length: 10 }, (_, index) =>
        start(`p-${round}-${index}`, sh('head -c 1000000 /dev/zero')),
      );
      results.push(...(await Promise.all(programs.map(read))));
    }
    expect(results.map(({ stdout, exit }) => [stdout.length, exit.exit_code])).toEqual(
      Array.from({ length: 100 }, () => [1_000_000, 0]),
    );
  });

  it('never lets a slow reader block the program', async () => {
    const program = start('p', sh('head -c 20000000 /dev/zero'));
    await program.ended;
    expect(program.log.endOffset).toBeGreaterThan(20_000_000);
    expect((await read(program)).stdout.length).toBe(20_000_000);
  });
});
