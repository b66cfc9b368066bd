/** Runs one program in a sandbox with this command's streams and signals; returns its exit status. */
import { pumpInput, toResultStatus } from '@omnigent/client';
import type { RunningProcess } from '@omnigent/client';
import { EXIT, SIGNALS } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import type { Progress } from '../output/progress.ts';
import { reportExit } from './report-exit.ts';
import { listenForInterrupts, toInterruptStatus } from './interrupts.ts';
import type { Interrupt } from './interrupts.ts';
import { OutputClosedError, relayOutput } from './relay-output.ts';
import { readInput } from './standard-input.ts';

export interface RunProgramOptions {
  readonly progress: Progress;
  readonly clock: Clock;
  readonly hasInput: boolean;
  /** Called when a second signal comes: the caller lets go of everything at once. */
  readonly onSecondInterrupt: (interrupt: Interrupt) => void;
}

/** A program that does not end after the signal of a Ctrl-C is ended harder. */
const INTERRUPT_GRACE_MS = 10_000;

/** Runs to the end. Throws SandboxError when the connection or the host is lost for good. */
export async function runProgram(program: RunningProcess, options: RunProgramOptions): Promise<number> {
  const { progress, clock, hasInput } = options;
  const ended = new AbortController();
  const interrupted: Interrupt[] = [];
  const stopListening = listenForInterrupts({
    onFirst: (interrupt) => {
      interrupted.push(interrupt);
      void endProgram(program, { clock, interrupt, ended: ended.signal });
    },
    onSecond: options.onSecondInterrupt,
  });
  const input = hasInput
    ? pumpInput(program, readInput(), ended.signal).catch((error: unknown) => progress.note(String(error)))
    : undefined;
  try {
    await relayOutput(program, {
      onFirstOutput: () => progress.clear(),
      onTruncated: () => progress.note('output was truncated: its oldest part is no longer kept'),
    });
  } catch (error) {
    if (!(error instanceof OutputClosedError)) throw error;
    await program.signal('SIGPIPE').catch(() => undefined);
    return EXIT.signalBase + SIGNALS.SIGPIPE;
  } finally {
    ended.abort();
    stopListening();
    process.stdin.destroy();
  }
  void input;
  reportExit(program.exit, (text) => progress.note(text));
  const [interrupt] = interrupted;
  return interrupt === undefined ? toResultStatus(program) : toInterruptStatus(interrupt);
}

/** Gives the signal on; then SIGTERM and SIGKILL when the program does not heed it. */
async function endProgram(
  program: RunningProcess,
  options: { readonly clock: Clock; readonly interrupt: Interrupt; readonly ended: AbortSignal },
): Promise<void> {
  const { clock, interrupt, ended } = options;
  try {
    for (const signal of [interrupt, 'SIGTERM', 'SIGKILL'] as const) {
      await program.signal(signal);
      await clock.sleep(INTERRUPT_GRACE_MS, { signal: ended });
    }
  } catch {
    // The program has ended, or the connection is gone: the output tells which.
  }
}
