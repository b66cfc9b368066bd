/** What is known of a sandbox without its launcher's memory. */
import { join } from 'node:path';
import { toErrorMessage } from '@omnigent/protocol';
import type { Inspection } from '../port/launcher.ts';
import { findMarked, isRecordedAlive } from './processes/find-processes.ts';
import { RECORD_NAME } from './records/paths.ts';
import type { SandboxPaths } from './records/paths.ts';
import { readSandboxFile } from './records/sandbox-file.ts';
import type { SandboxFile } from './records/sandbox-file.ts';
import { diagnoseHostEnd } from './watch/diagnose-host.ts';
import { readLogTail } from './watch/log-tail.ts';

/** Looks at the disk and at `/proc`. */
export async function inspectSandbox(providerId: string, paths: SandboxPaths): Promise<Inspection> {
  try {
    const file =
      (await readSandboxFile(paths.record)) ?? (await readSandboxFile(join(paths.leaving, RECORD_NAME)));
    if (file === undefined) return { state: 'gone', diagnosis: null };
    if (await isHostRunning(file)) return { state: 'running' };
    // A start that was interrupted before the host: there is nothing to tell of its end.
    if (file.process === null) return { state: 'gone', diagnosis: null };
    const log = await readLogTail(paths.log);
    return { state: 'gone', diagnosis: diagnoseHostEnd({ providerId, code: null, signal: null, log }) };
  } catch (error) {
    return { state: 'unknown', message: toErrorMessage(error) };
  }
}

async function isHostRunning(file: SandboxFile): Promise<boolean> {
  if (file.process !== null) return await isRecordedAlive(file.process);
  return (await findMarked(file.host_id)).some(({ isHost }) => isHost);
}
