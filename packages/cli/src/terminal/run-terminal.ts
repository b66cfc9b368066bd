/** A terminal session: the program's screen and keys on the command's own terminal, until its end or until it is left. */
import type { AttachOptions, AttachSession, RunningProcess } from '@omnigent/client';
import { EXIT, SIGNALS } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import { listenForInterrupts, toInterruptStatus } from '../run/interrupts.ts';
import { OutputClosedError } from '../run/relay-output.ts';
import { reportExit } from '../run/report-exit.ts';
import { DetachMatcher } from './detach-keys.ts';
import { enterRawMode } from './raw-mode.ts';
import { readTerminalSize } from './terminal-size.ts';
import { TerminalView } from './terminal-view.ts';

export interface TerminalOptions {
  /** Keys that leave the session. */
  readonly detachKeys: Uint8Array;
  /** Whether the program has a terminal; without, keys are lines and Ctrl-C is a signal. */
  readonly isTerminal: boolean;
  /** Whether what is typed goes to the program. */
  readonly hasInput: boolean;
  /** Where to begin, and whether to take over. */
  readonly attach: Pick<AttachOptions, 'offset' | 'mode'>;
  /** Signals to the command go to the program too; without, they only end the command. */
  readonly passesSignals: boolean;
  readonly clock: Clock;
  readonly note: (text: string) => void;
}

/** The exit status, or that the session was left while the program goes on. */
export type TerminalEnd = { readonly status: number } | { readonly isDetached: true };

/** Runs the session. The terminal is given back however it ends. */
export async function runTerminal(program: RunningProcess, options: TerminalOptions): Promise<TerminalEnd> {
  const { attach, note, clock, hasInput, isTerminal } = options;
  await using session = await program.attach({ ...attach, size: readTerminalSize(process.stdout) });
  const view = new TerminalView({ note, clock });
  const stops = [
    followSize(session),
    passInterrupts(program, session, options),
    ...(hasInput && isTerminal ? [enterRawMode(process.stdin)] : []),
  ];
  if (hasInput) void passInput(session, options);
  try {
    for await (const update of session.updates()) await view.show(update);
  } catch (error) {
    if (!(error instanceof OutputClosedError)) throw error;
    await program.signal('SIGHUP').catch(() => undefined);
    return { status: EXIT.signalBase + SIGNALS.SIGPIPE };
  } finally {
    await view.close();
    for (const stop of stops.toReversed()) stop();
    process.stdin.destroy();
  }
  reportExit(session.exit, note);
  const status = session.exitCode;
  return status === undefined ? { isDetached: true } : { status };
}

function followSize(session: AttachSession): () => void {
  const onResize = () => session.resize(readTerminalSize(process.stdout));
  process.stdout.on('resize', onResize);
  return () => process.stdout.off('resize', onResize);
}

/** Reads keys until the session ends; a program that does not read lets a pipe wait. */
async function passInput(session: AttachSession, { detachKeys, isTerminal }: TerminalOptions): Promise<void> {
  const matcher = new DetachMatcher(isTerminal && process.stdin.isTTY ? detachKeys : new Uint8Array());
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      const { bytes, isDetached } = matcher.push(chunk);
      await session.write(bytes);
      if (isDetached) return session.detach();
    }
    session.end();
  } catch {
    // The session is over, and standard input with it.
  }
}

/** Ctrl-C is a key here; signals come from elsewhere, as when the window is closed. */
function passInterrupts(
  program: RunningProcess,
  session: AttachSession,
  options: TerminalOptions,
): () => void {
  return listenForInterrupts({
    onFirst: (interrupt) => {
      if (options.passesSignals) void program.signal(interrupt).catch(() => undefined);
      else session.detach();
    },
    onSecond: (interrupt) => process.exit(toInterruptStatus(interrupt)),
  });
}
