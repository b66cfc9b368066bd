/** Ends every process of a local sandbox and removes its directory. */
import { chmod, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@omnigent/protocol';
import { findSandboxPids } from './process-scan.ts';

/** Time for the host to end its programs and itself after SIGTERM. */
const GRACE_MS = 3_000;
/** The processes may be another server's children, so their end raises no event here: a short poll. */
const POLL_MS = 15;
const KILL_TRIES = 200;

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended between the look and the signal.
  }
}

export interface EndOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Ends all processes of a host id: SIGTERM, a grace, SIGKILL until none is left. */
export async function endProcesses(hostId: string, { clock, signal }: EndOptions): Promise<void> {
  const first = await findSandboxPids(hostId);
  if (first.length === 0) return;
  for (const pid of first) trySignal(pid, 'SIGTERM');
  const deadline = clock.monotonicMs() + GRACE_MS;
  while (clock.monotonicMs() < deadline) {
    await clock.sleep(POLL_MS, { signal });
    if ((await findSandboxPids(hostId)).length === 0) return;
  }
  for (let attempt = 0; attempt < KILL_TRIES; attempt += 1) {
    const left = await findSandboxPids(hostId);
    if (left.length === 0) return;
    for (const pid of left) trySignal(pid, 'SIGKILL');
    await clock.sleep(POLL_MS, { signal });
  }
  throw new Error(`processes of host ${hostId} cannot be killed`);
}

/** Removes a directory with whatever permissions its files have. */
export async function removeDirectory(root: string): Promise<void> {
  // The new name tells a reader, and a repeated call, that this sandbox is on its way out.
  const leaving = `${root}.leaving`;
  await rename(root, leaving).catch(() => undefined);
  try {
    await rm(leaving, { recursive: true, force: true });
  } catch {
    await openUp(leaving);
    await rm(leaving, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Gives the owner all rights on every directory, so that its entries can go. */
async function openUp(directory: string): Promise<void> {
  await chmod(directory, 0o700).catch(() => undefined);
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) await openUp(join(directory, entry.name));
  }
}
