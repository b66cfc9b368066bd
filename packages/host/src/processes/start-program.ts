/** Starts what a request asks for: a program in a terminal or with pipes. */
import type { Clock, StartProcess } from '@omnigent/protocol';
import { startPipedProgram } from './piped-program.ts';
import { findProgramFault } from './program-fault.ts';
import type { Program } from './program.ts';

export interface StartOptions {
  readonly request: StartProcess;
  /** Absolute working directory. */
  readonly cwd: string;
  /** Environment, complete. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

/** Rejects with the system's error, or with a SandboxError that says why the program cannot be started. */
export async function startProgram({ request, cwd, env, clock }: StartOptions): Promise<Program> {
  const { argv, stdin, pty } = request;
  if (pty === undefined) return await startPipedProgram({ argv, cwd, env, hasInput: stdin === 'pipe' });
  // The pty binding does not report why a program did not start, so that is found out before.
  const fault = await findProgramFault({ program: argv[0] ?? '', cwd, path: env['PATH'] });
  if (fault !== undefined) throw fault;
  const { startTerminalProgram } = await import('../pty/terminal-program.ts');
  return startTerminalProgram({ argv, cwd, env, size: pty, clock, randomUuid: () => crypto.randomUUID() });
}
