/** Clones under way have names of their own beside their targets; a host that was killed leaves them behind. */
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '@omnigent/protocol';

const PREFIX = '.omnigent-clone-';

/** Where a clone is made before it gets its name. */
export function toPartial(target: string, clock: Clock): string {
  return join(dirname(target), `${PREFIX}${process.pid}-${Math.trunc(clock.monotonicMs() * 1000)}`);
}

/** Removes what an earlier host has left half-done; nothing may be cloning into the directory. */
export async function removePartials(directory: string): Promise<void> {
  const names = await readdir(directory);
  const left = names.filter((name) => name.startsWith(PREFIX));
  await Promise.all(left.map((name) => rm(join(directory, name), { recursive: true, force: true })));
}
