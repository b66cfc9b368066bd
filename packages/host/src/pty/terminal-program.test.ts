import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StartProcessInput } from '@omnigent/protocol';
import { openPrograms, readProgram, sh, whenPrinted } from '../testing/programs.ts';
import type { TestPrograms } from '../testing/programs.ts';
import type { SupervisedProcess } from '../processes/supervised-process.ts';

const size = { columns: 101, rows: 33 };

let programs: TestPrograms;
beforeEach(async () => {
  programs = await openPrograms();
});
afterEach(async () => await programs[Symbol.asyncDispose]());

function start(id: string, request: StartProcessInput): SupervisedProcess {
  return programs.start(id, { pty: size, stdin: 'pipe', ...request });
}

async function type(program: SupervisedProcess, text: string, options = { eof: false }): Promise<void> {
  await program.input.write(program.input.offset, Readable.from([Buffer.from(text)]), options);
}

describe('a program in a terminal', () => {
  it('has a terminal of the size that was asked for, and controls it', async () => {
    const script =
      'stty size; test -t 0 && test -t 1 && test -t 2 && echo terminal; echo $TERM; : </dev/tty && echo own';
    expect(await readProgram(start('p', sh(script)))).toMatchObject({
      terminal: '33 101\r\nterminal\r\nxterm-256color\r\nown\r\n',
      stdout: '',
      exit: { exit_code: 0 },
    });
  });

  it('loses nothing of 1,000 programs that end at once', async () => {
    const texts: string[] = [];
    for (let round = 0; round < 100; round += 1) {
      const ids = Array.from({ length: 10 }, (_, index) => `p-${round}-${index}`);
      const ended = await Promise.all(
        ids.map(async (id) => await readProgram(start(id, { argv: ['echo', id] }))),
      );
      texts.push(...ended.map(({ terminal }) => terminal));
    }
    expect(texts).toEqual(
      Array.from({ length: 1_000 }, (_, at) => `p-${Math.floor(at / 10)}-${at % 10}\r\n`),
    );
  }, 120_000);

  it('loses nothing of much output', async () => {
    const { terminal } = await readProgram(start('p', sh('seq 1 200000')));
    expect(terminal.replaceAll('\r', '').split('\n').slice(0, -1)).toEqual(
      Array.from({ length: 200_000 }, (_, index) => String(index + 1)),
    );
  });

  it('sees a new size', async () => {
    const program = start('p', sh('trap "stty size; exit 0" WINCH; echo up; while :; do sleep 0.05; done'));
    await whenPrinted(program, 'up');
    await program.resize({ columns: 40, rows: 10 });
    expect((await readProgram(program)).terminal).toBe('up\r\n10 40\r\n');
    expect(program.toJSON().pty).toEqual({ columns: 40, rows: 10 });
  });

  it('reads what is typed, end of input and Ctrl-C included', async () => {
    const cat = start('cat', { argv: ['cat'] });
    await type(cat, 'hello\n', { eof: true });
    expect(await readProgram(cat)).toMatchObject({ terminal: 'hello\r\nhello\r\n', exit: { exit_code: 0 } });
    // A shell that is just starting its child can swallow a Ctrl-C.
    const sleep = start('sleep', sh('echo up; exec sleep 3010'));
    await whenPrinted(sleep, 'up');
    await type(sleep, '\u0003');
    expect((await readProgram(sleep)).exit.signal).toBe('SIGINT');
  });

  it('takes more input than a terminal holds, at the pace of the program', async () => {
    const program = start('p', sh('stty -icanon -echo; echo up; head -c 300000 | md5sum'));
    await whenPrinted(program, 'up');
    await type(program, '0123456789'.repeat(30_000));
    const sum = await readProgram(
      programs.start('sum', sh("yes 0123456789 | tr -d '\\n' | head -c 300000 | md5sum")),
    );
    expect((await readProgram(program)).terminal).toBe(`up\r\n${sum.stdout.trimEnd()}\r\n`);
  });

  it('ends although a background child keeps the terminal open, which then hangs up', async () => {
    const program = start('p', sh('(trap "" HUP; sleep 3011) & echo done'));
    expect(await readProgram(program)).toMatchObject({ terminal: 'done\r\n', exit: { exit_code: 0 } });
  });

  it('stops when it is an interactive shell, which ignores SIGTERM', async () => {
    const program = start('p', { argv: ['bash', '--norc', '-i'] });
    await type(program, 'echo ready-$((1+1))\n');
    await whenPrinted(program, 'ready-2');
    await program.stop(5_000);
    expect((await readProgram(program)).exit.signal).toBe('SIGHUP');
  });

  it.each([
    [{ argv: ['no-such-program'] }, 'program_not_found'],
    [{ argv: ['/etc/passwd'] }, 'program_not_executable'],
    [{ argv: ['true'], cwd: '/no/such' }, 'program_not_executable'],
  ])('ends %j with an exit record that says why', async (request, code) => {
    expect((await readProgram(start('p', request))).exit.error?.code).toBe(code);
  });

  it('is out of reach for every other program', async () => {
    const first = start('first', sh('echo up; read line'));
    await whenPrinted(first, 'up');
    const list = sh('ls -l /proc/self/fd');
    const piped = await readProgram(programs.start('piped', list));
    const inTerminal = await readProgram(start('second', list));
    for (const text of [piped.stdout, inTerminal.terminal]) {
      expect(text).toContain(' 0 -> ');
      expect(text).not.toContain('ptmx');
    }
  });
});
