/** Starts a program whose output comes through pipes. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { LOG_STREAM } from '@omnigent/protocol';
import type { LogStream, SignalName } from '@omnigent/protocol';
import type { Readable } from 'node:stream';
import { buildStdio } from './hidden-descriptors.ts';
import type { Program, ProgramEnd, ProgramOptions, ProgramOutput } from './program.ts';

/** What the ended program itself wrote lies in the pipes and is read before they can be quiet for so long. */
const QUIET_MS = 120;

export interface PipedProgramOptions extends ProgramOptions {
  readonly hasInput: boolean;
}

/** Starts it in a process group of its own. Rejects with the system's error when it cannot be started. */
export async function startPipedProgram(options: PipedProgramOptions): Promise<Program> {
  const { argv, cwd, env, hasInput } = options;
  const [program = '', ...args] = argv;
  const child = spawn(program, args, {
    cwd,
    env,
    detached: true,
    stdio: buildStdio([hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe']),
  });
  if (child.pid === undefined) throw await whenFailed(child);
  child.on('error', () => undefined);
  return {
    pid: child.pid,
    outputs: [...toOutput(LOG_STREAM.stdout, child.stdout), ...toOutput(LOG_STREAM.stderr, child.stderr)],
    input: child.stdin ?? undefined,
    ended: new Promise<ProgramEnd>((resolve) => {
      child.once('exit', (code, signal) => resolve({ exit_code: code, signal: signal as SignalName | null }));
    }),
    drained: new Promise<void>((resolve) => child.once('close', () => resolve())),
    quietMs: QUIET_MS,
    resize: undefined,
    // A background child may still write; its pipes are read on, so that it neither blocks nor dies of it.
    close: () => undefined,
  };
}

function toOutput(kind: LogStream, stream: Readable | null): ProgramOutput[] {
  return stream === null ? [] : [{ kind, stream }];
}

async function whenFailed(child: ChildProcess): Promise<Error> {
  return await new Promise((resolve) => child.once('error', resolve));
}
