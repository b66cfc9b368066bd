/** After a program's end: waits until its last output has been recorded. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@omnigent/protocol';
import type { OutputLog } from './output-log.ts';
import type { Program } from './program.ts';

const QUIET_ROUNDS = 3;
/** More than pipes and terminals hold: what comes beyond is the output of others. */
const HELD_BYTES = 4 * 1024 * 1024;

/**
 * Resolves when the outputs are drained; not for ever later, because a background child may keep them open: also when
 * they were quiet for long enough, or when more came than they can have held at the end.
 */
export async function drainOutput(program: Program, log: OutputLog, clock: Clock): Promise<void> {
  const state = { isDrained: false };
  const draining = program.drained.then(() => (state.isDrained = true));
  const controller = new AbortController();
  const { signal } = controller;
  const start = log.endOffset;
  for (let quiet = 0; quiet < QUIET_ROUNDS && log.endOffset - start < HELD_BYTES; ) {
    const before = log.endOffset;
    await Promise.race([
      draining,
      clock.sleep(program.quietMs / QUIET_ROUNDS, { signal }).catch(() => undefined),
    ]);
    // After a busy moment the timer comes first: one turn more, so that what has arrived is read.
    await nextTurn();
    if (state.isDrained) break;
    const isQuiet = log.endOffset === before && program.outputs.every(({ stream }) => !stream.isPaused());
    quiet = isQuiet ? quiet + 1 : 0;
  }
  controller.abort();
}
