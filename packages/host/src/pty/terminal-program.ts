/** Starts a program in a terminal of its own and loses nothing of its output, however short it lives. */
import { closeSync, constants, openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { LOG_STREAM, SIGNAL_NAMES, SIGNALS } from '@omnigent/protocol';
import type { Clock, TerminalSize } from '@omnigent/protocol';
import { hideDescriptor } from '../processes/hidden-descriptors.ts';
import type { Program, ProgramEnd, ProgramOptions } from '../processes/program.ts';
import { EndMarker } from './end-marker.ts';
import { loadNativePty } from './native-pty.ts';
import { TerminalInput, writeSome } from './terminal-input.ts';

/** The mark tells the end of the output; this long without it or any output, and it will not come. */
const QUIET_MS = 3_000;
const MARK_RETRY_MS = 5;
const SLAVE_MODE = constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK;
/** What programs may expect of the terminal at the other end when nobody said. */
const DEFAULT_TERM = 'xterm-256color';

export interface TerminalProgramOptions extends ProgramOptions {
  readonly size: TerminalSize;
  readonly clock: Clock;
  readonly randomUuid: () => string;
}

/** Starts it as leader of a session with the terminal. Throws the system's error when there is no terminal to get. */
export function startTerminalProgram(options: TerminalProgramOptions): Program {
  const { argv, cwd, env, size, clock } = options;
  const [program = '', ...args] = argv;
  const native = loadNativePty();
  const ended = Promise.withResolvers<ProgramEnd>();
  const { fd, pid, pty } = native.fork(
    program,
    args,
    Object.entries({ TERM: DEFAULT_TERM, ...env }).map(([name, value]) => `${name}=${value}`),
    cwd,
    size.columns,
    size.rows,
    -1,
    -1,
    true,
    '',
    (code, signal) => ended.resolve(toEnd(code, signal)),
  );
  const terminal = openTerminal({
    pid,
    fd,
    device: pty,
    mark: Buffer.from(`[END ${options.randomUuid().toUpperCase()}]`),
  });
  const input = new TerminalInput(fd, clock);
  void ended.promise.then(() => terminal.markEnd(clock));
  return {
    pid,
    outputs: [{ kind: LOG_STREAM.pty, stream: terminal.output }],
    input,
    ended: ended.promise,
    drained: new Promise((resolve) => terminal.output.once('end', () => resolve())),
    quietMs: QUIET_MS,
    resize: ({ columns, rows }) => terminal.isOpen() && native.resize(fd, columns, rows, 0, 0),
    close() {
      input.closeDescriptor();
      terminal.close();
    },
  };
}

interface Terminal {
  readonly output: EndMarker;
  readonly isOpen: () => boolean;
  /** Writes the mark behind everything that the ended program has written. */
  readonly markEnd: (clock: Clock) => Promise<void>;
  readonly close: () => void;
}

interface OpenOptions {
  readonly pid: number;
  readonly fd: number;
  readonly device: string;
  readonly mark: Uint8Array;
}

function openTerminal({ pid, fd, device, mark }: OpenOptions): Terminal {
  const show = hideDescriptor(fd);
  const master = new ReadStream(fd);
  const slave = openSlave(device, () => {
    process.kill(pid, 'SIGKILL');
    master.destroy();
  });
  const output = new EndMarker(mark);
  const closing = new AbortController();
  const isOpen = () => !closing.signal.aborted;
  master.on('error', () => output.end());
  master.once('close', show);
  master.pipe(output);
  return {
    output,
    isOpen,
    async markEnd(clock) {
      output.expect();
      for (let at = 0; at < mark.length && isOpen(); ) {
        at += writeSome(slave, mark.subarray(at));
        if (at < mark.length) await clock.sleep(MARK_RETRY_MS, { unref: true });
      }
    },
    close() {
      if (!isOpen()) return;
      closing.abort();
      closeSync(slave);
      master.destroy();
    },
  };
}

/** Held open, or the terminal would hang up with its last program and drop what was not read yet. */
function openSlave(device: string, onFailure: () => void): number {
  try {
    return openSync(device, SLAVE_MODE);
  } catch (error) {
    onFailure();
    throw error;
  }
}

function toEnd(code: number, signal: number): ProgramEnd {
  if (signal === 0) return { exit_code: code, signal: null };
  const name = SIGNAL_NAMES.find((candidate) => SIGNALS[candidate] === signal);
  return name === undefined ? { exit_code: 128 + signal, signal: null } : { exit_code: null, signal: name };
}
