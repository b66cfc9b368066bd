/** Makes this process the one server of a state directory, or finds the one that is. */
import { mkdir } from 'node:fs/promises';
import { SandboxError } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import { findRunningServer } from './server-file.ts';
import type { ServerFile } from './server-file.ts';
import { tryStateLock } from './state-lock.ts';
import type { StateLock } from './state-lock.ts';

export type Claim = { readonly lock: StateLock } | { readonly running: ServerFile };

export interface ClaimOptions {
  readonly stateDirectory: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

const RETRY_MS = 50;

/**
 * Takes the lock. While another process holds it without being ready, it is either starting or ending; both are short.
 *
 * @throws SandboxError `server_start` when neither a lock nor a running server was found in time.
 */
export async function claimState(options: ClaimOptions): Promise<Claim> {
  const { stateDirectory, clock, timeoutMs } = options;
  await mkdir(stateDirectory, { recursive: true, mode: 0o700 });
  const deadline = clock.monotonicMs() + timeoutMs;
  for (;;) {
    const lock = tryStateLock(stateDirectory);
    if (lock !== undefined) return { lock };
    const running = await findRunningServer(stateDirectory);
    if (running !== undefined) return { running };
    if (clock.monotonicMs() >= deadline) {
      throw new SandboxError(
        'server_start',
        `expected the state directory ${stateDirectory} to be free, found it locked by a process that is not ready`,
      );
    }
    await clock.sleep(RETRY_MS);
  }
}
