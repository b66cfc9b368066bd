import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  LOG_STREAM,
  LogDecoder,
  processExitSchema,
  startProcessSchema,
  systemClock,
} from '@omnigent/protocol';
import type { ProcessExit, StartProcessInput } from '@omnigent/protocol';
import { followOutput } from './follow-output.ts';
import { ProcessRegistry } from './process-registry.ts';
import type { SupervisedProcess } from './supervised-process.ts';

let directory: string;
let registry: ProcessRegistry;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'omnigent-processes-'));
  await writeFile(join(directory, 'data'), 'no program', { mode: 0o644 });
  const env = { PATH: process.env['PATH'] ?? '', HOME: directory };
  registry = new ProcessRegistry({
    directory: join(directory, 'logs'),
    env,
    workspace: () => directory,
    bootId: 'boot',
    clock: systemClock,
  });
});
afterEach(async () => {
  await registry.stopAll(0);
  await rm(directory, { recursive: true, force: true });
});

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: ProcessExit;
}

function start(id: string, request: StartProcessInput): SupervisedProcess {
  return registry.start(id, startProcessSchema.parse(request)).process;
}

async function read({ log }: SupervisedProcess): Promise<Ended> {
  const decoder = new LogDecoder(0);
  const text = { stdout: '', stderr: '', exit: '' };
  for await (const chunk of followOutput(log, {
    offset: 0,
    follow: true,
    signal: new AbortController().signal,
  })) {
    for (const { stream, data } of decoder.push(chunk)) {
      const part = Buffer.from(data).toString('latin1');
      if (stream === LOG_STREAM.stdout) text.stdout += part;
      if (stream === LOG_STREAM.stderr) text.stderr += part;
      if (stream === LOG_STREAM.exit) text.exit = part;
    }
  }
  return { ...text, exit: processExitSchema.parse(JSON.parse(text.exit)) };
}

const sh = (script: string): StartProcessInput => ({ argv: ['sh', '-c', script] });

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
    const program = start('p', sh('setsid sleep 300 & sleep 300 & echo up; wait'));
    await program.log.whenBeyond(0, new AbortController().signal);
    await program.stop(5_000);
    expect((await read(program)).exit.signal).toBe('SIGTERM');
    const { stdout } = await read(start('ps', sh('sleep 0.1; ps -eo args= | grep -c "^sleep 300" || true')));
    expect(stdout).toBe('0\n');
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
