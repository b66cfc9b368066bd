/** The command in a terminal, as its user sees it: a real terminal on both sides. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Installation } from '../command/omnigent.ts';
import { Terminal } from './terminal.ts';

let installation: Installation;
const SANDBOX = 'terminals';

beforeAll(async () => {
  installation = await Installation.create();
  const { status, stderr } = await installation.run(['run', '--keep', '--name', SANDBOX, '--', 'true']);
  if (status !== 0) throw new Error(stderr);
});
afterAll(async () => {
  await installation.run(['rm', SANDBOX]);
  await installation[Symbol.asyncDispose]();
});

const exec = (program: readonly string[], flags: readonly string[] = []) =>
  Terminal.omnigent(installation, ['exec', '-t', ...flags, SANDBOX, '--', ...program]);
const sh = (script: string, flags?: readonly string[]) => exec(['sh', '-c', script], flags);

/** The process id that the command names when it is left. */
async function leave(terminal: Terminal): Promise<string> {
  terminal.type('\x10\x11');
  const { shown, exit_code: status } = await terminal.ended;
  expect(status).toBe(0);
  return /omnigent attach terminals (\S+)/.exec(shown)?.[1] ?? 'no process named';
}

describe('exec -t', () => {
  it('gives the program a terminal of the same size and kind, its keys and its exit status', async () => {
    const terminal = sh('tty; stty size; echo $TERM; read line; echo "got $line"; exit 7');
    await terminal.whenShown('/dev/pts/');
    await terminal.whenShown('24 80');
    await terminal.whenShown('xterm-256color');
    terminal.type('hello\r');
    await terminal.whenShown('got hello');
    expect((await terminal.ended).exit_code).toBe(7);
  });

  it('gives on every key as it is to a program in raw mode, and shows line feeds as they are', async () => {
    const keys = Buffer.from('\x03\x1a\x1c\x11\x13\x04\r\n\x7f\x1b[A\x1bOPé日🚀\x10x\0');
    const terminal = sh(
      `stty raw -echo; printf 'ready'; head -c ${keys.length} | od -An -v -tx1 | tr -d ' \\n'; printf 'a\\nb'`,
    );
    await terminal.whenShown('ready');
    terminal.type(keys);
    const { shown, exit_code: status } = await terminal.ended;
    expect(shown).toBe(`ready${keys.toString('hex')}a\nb`);
    expect(status).toBe(0);
  });

  it('tells a program of each new size', async () => {
    // Without a trap of its own, bash stays when Ctrl-C meets a child that is just ending well.
    // A size that comes while a trap runs does not run it again: the trap only notes it.
    const traps = 'trap "changed=1" WINCH; trap "exit 130" INT';
    const loop = 'while :; do [ -z "$changed" ] || { changed=; stty size; }; sleep 0.05; done';
    const terminal = exec(['bash', '-c', `${traps}; echo ready; ${loop}`]);
    await terminal.whenShown('ready');
    terminal.resize({ columns: 132, rows: 43 });
    await terminal.whenShown('43 132');
    terminal.resize({ columns: 20, rows: 5 });
    await terminal.whenShown('5 20');
    terminal.type('\x03');
    expect((await terminal.ended).exit_code).toBe(130);
  });

  it('passes Ctrl-C on as the key that it is', async () => {
    const terminal = sh('trap "echo caught; exit 3" INT; echo ready; while :; do sleep 0.05; done');
    await terminal.whenShown('ready');
    terminal.type('\x03');
    await terminal.whenShown('caught');
    expect((await terminal.ended).exit_code).toBe(3);
  });

  it('passes the window title and characters in pieces through', async () => {
    const terminal = sh(
      String.raw`printf '\033]0;a title\007'; printf '\346\227'; sleep 0.2; printf '\245\n'`,
    );
    const { shown } = await terminal.ended;
    expect(shown).toBe('\x1b]0;a title\x07日\r\n');
  });

  it('says why a program did not start, or was ended', async () => {
    const missing = await exec(['there-is-no-such-program']).ended;
    expect(missing.exit_code).toBe(127);
    expect(missing.shown).toContain('there-is-no-such-program');
    const late = await exec(['sleep', '60'], ['--timeout', '1s']).ended;
    expect(late.exit_code).toBe(129);
    expect(late.shown).toContain('it reached its time limit');
  });

  it('types what comes through a pipe, ends it, and shows what the program prints', async () => {
    const script = `echo "$(printf 'one\\ntwo\\n' | $omnigent exec -t ${SANDBOX} -- sh -c 'stty -echo; cat')"`;
    const { shown } = await Terminal.shell(installation, script).ended;
    expect(shown.replaceAll('\r', '')).toContain('one\ntwo\n');
  });
});

describe('the terminal of the caller', () => {
  const modes = (call: string) => `stty -g; ${call}; stty -g`;
  const readModes = (shown: string) => shown.match(/^[0-9a-f]+(:[0-9a-f]+){10,}/gm) ?? [];

  it.each([
    ['a program ended', `$omnigent exec -t ${SANDBOX} -- sh -c 'stty raw -echo'`],
    ['the command failed', '$omnigent exec -t there-is-no-such -- true'],
  ])('is as before after %s', async (_what, call) => {
    const { shown } = await Terminal.shell(installation, modes(call)).ended;
    const [before, after] = readModes(shown);
    expect(before).toBeDefined();
    expect(after).toBe(before);
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('is as before after the command got %s', async (signal) => {
    const call = `$omnigent exec -t ${SANDBOX} -- sh -c 'echo up; exec sleep 60'`;
    const terminal = Terminal.shell(installation, `trap '' HUP; ${modes(call)}`);
    await terminal.whenShown('up');
    await terminal.signalChild(signal);
    const [before, after] = readModes((await terminal.ended).shown);
    expect(before).toBeDefined();
    expect(after).toBe(before);
  });

  it('shows its own screen and cursor again after a program that was killed with them changed', async () => {
    const terminal = sh(String.raw`printf '\033[?1049h\033[?25l\033[?1002hdrawn'; kill -9 $$`);
    const { shown, exit_code: status } = await terminal.ended;
    expect(status).toBe(137);
    expect(shown.slice(shown.indexOf('drawn') + 5)).toBe('\x1b[0m\x1b[?25h\x1b[?1002l\x1b[?1049l');
  });
});

describe('a lost connection', () => {
  it('is told after a while, and what was typed meanwhile arrives when it is back', async () => {
    const terminal = sh('stty -echo; echo ready; while read line; do echo "<$line>"; done');
    await terminal.whenShown('ready');
    const { pid } = await installation.readServer();
    process.kill(pid, 'SIGKILL');
    await terminal.whenShown('the connection is lost');
    terminal.type('meanwhile\r');
    // Any command starts the embedded server anew; it has the same port, and the host comes back to it.
    expect((await installation.run(['ls'])).status).toBe(0);
    await terminal.whenShown('<meanwhile>');
    terminal.type('\x04');
    expect((await terminal.ended).exit_code).toBe(0);
  });
});

describe('attach', () => {
  it('comes back to a program that was left, with its screen', async () => {
    const first = exec(['bash', '--norc']);
    await first.whenShown('$ ');
    first.type('echo the-$((40+2)); PS1="> "\r');
    await first.whenShown('the-42');
    const id = await leave(first);
    const second = Terminal.omnigent(installation, ['attach', SANDBOX, id]);
    await second.whenShown('the-42');
    await second.whenShown('>');
    second.type('exit 9\r');
    expect((await second.ended).exit_code).toBe(9);
  });

  it('lets one type and others look on, until one takes over', async () => {
    const first = sh('stty -echo; while read line; do echo "<$line>"; done');
    first.type('one\r');
    await first.whenShown('<one>');
    const second = Terminal.omnigent(installation, ['attach', SANDBOX]);
    await second.whenShown('<one>');
    second.type('nobody\r');
    first.type('two\r');
    await second.whenShown('<two>');
    const third = Terminal.omnigent(installation, ['attach', '--take', SANDBOX]);
    await third.whenShown('<two>');
    await first.whenShown('another viewer types now');
    third.type('three\r');
    for (const terminal of [first, second, third]) await terminal.whenShown('<three>');
    third.type('\x04');
    const ends = await Promise.all([first.ended, second.ended, third.ended]);
    expect(ends.map(({ exit_code: status }) => status)).toEqual([0, 0, 0]);
    for (const { shown } of ends) expect(shown).not.toContain('nobody');
  });

  it('shows without typing when asked to, and is left by Ctrl-C', async () => {
    const first = sh('echo begun; read line; echo "<$line>"');
    await first.whenShown('begun');
    const second = Terminal.omnigent(installation, ['attach', '-n', SANDBOX]);
    await second.whenShown('begun');
    second.type('\x03');
    expect((await second.ended).exit_code).toBe(0);
    first.type('end\r');
    await first.whenShown('<end>');
    expect((await first.ended).exit_code).toBe(0);
  });

  it('also shows a program without a terminal, and passes Ctrl-C on', async () => {
    const { stdout } = await installation.run([
      'exec',
      '--detach',
      SANDBOX,
      '--',
      'sh',
      '-c',
      'trap "echo caught; exit 4" INT; while :; do echo tick; sleep 0.05; done',
    ]);
    const terminal = Terminal.omnigent(installation, ['attach', SANDBOX, stdout.toString().trim()]);
    await terminal.whenShown('tick');
    terminal.type('\x03');
    await terminal.whenShown('caught');
    expect((await terminal.ended).exit_code).toBe(4);
  });
});

describe('shell', () => {
  it('opens a login shell in the workspace', async () => {
    const terminal = Terminal.omnigent(installation, ['shell', SANDBOX]);
    await terminal.whenShown('$ ');
    terminal.type('pwd; shopt -q login_shell && echo is-login\r');
    await terminal.whenShown('/home/omnigent/workspace');
    await terminal.whenShown('is-login');
    terminal.type('exit 4\r');
    expect((await terminal.ended).exit_code).toBe(4);
  });

  it('says what to use instead when there is no terminal', async () => {
    const { status, stderr } = await installation.run(['shell', SANDBOX]);
    expect(status).toBe(2);
    expect(stderr).toContain('omnigent exec SANDBOX -- sh < SCRIPT');
  });
});

describe('stdin without a terminal', () => {
  it('carries an archive byte for byte', async () => {
    const command = `head -c 3000000 /dev/urandom > "$d/in"; cd "$d" && tar c in | $omnigent exec ${SANDBOX} -- sh -c 'tar x && cat in' > out && cmp in out && echo same`;
    const d = installation.stateDirectory;
    const shell = Terminal.shell(installation, `d=$(mktemp -d -p ${d}); ${command}`);
    await shell.whenShown('same');
    expect((await shell.ended).exit_code).toBe(0);
  });
});

describe('run -t', () => {
  it('leaves program and sandbox running when it is left', async () => {
    const terminal = Terminal.omnigent(installation, [
      'run',
      '-t',
      '-q',
      '--',
      'sh',
      '-c',
      'echo up; sleep 60',
    ]);
    await terminal.whenShown('up');
    terminal.type('\x10\x11');
    expect((await terminal.ended).exit_code).toBe(0);
    const { items } = JSON.parse((await installation.run(['ls', '--json'])).stdout.toString()) as {
      items: { id: string; name: string | null }[];
    };
    const left = items.filter(({ name }) => name === null);
    expect(left).toHaveLength(1);
    for (const { id } of left) await installation.run(['rm', id]);
  });
});
