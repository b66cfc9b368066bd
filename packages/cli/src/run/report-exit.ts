/** What a program's exit status alone does not tell. */
import type { ProcessExit } from '@omnigent/protocol';

/** A program that never started, died of memory or reached its time limit says so. */
export function reportExit(exit: ProcessExit | undefined, note: (text: string) => void): void {
  if (exit === undefined) return;
  if (exit.error !== null) note(exit.error.message);
  if (exit.oom_killed) {
    const limit =
      exit.memory_limit_bytes === null ? '' : ` (limit ${Math.round(exit.memory_limit_bytes / 2 ** 20)} MiB)`;
    note(`the program was killed for memory${limit}`);
  }
  if (exit.timed_out) note('the program was ended: it reached its time limit');
}
