/** Removes everything of a local sandbox: first what runs, then what lies on the disk. */
import { join } from 'node:path';
import { endProcesses } from '../processes/end-processes.ts';
import type { EndOptions, EndTarget } from '../processes/end-processes.ts';
import { RECORD_NAME } from '../records/paths.ts';
import type { SandboxPaths } from '../records/paths.ts';
import { readSandboxFile } from '../records/sandbox-file.ts';
import { markLeaving, removeTree } from './remove-directory.ts';

/** What a caller knows of the sandbox without its record. */
export interface RemoveOptions extends EndOptions {
  readonly hostId?: string;
}

/** Removes a sandbox; one that is gone is success. May be interrupted anywhere and repeated by anyone. */
export async function removeSandbox(paths: SandboxPaths, options: RemoveOptions): Promise<void> {
  const targets = await findTargets(paths, options.hostId);
  for (const target of targets) await endProcesses(target, options);
  await markLeaving(paths);
  // Where a start was going on, what it started just before the directory got its new name is found now.
  for (const target of targets) if (target.process === null) await endProcesses(target, options);
  await removeTree(paths.leaving);
}

async function findTargets(paths: SandboxPaths, hostId: string | undefined): Promise<EndTarget[]> {
  const records = await Promise.all([
    readSandboxFile(paths.record),
    readSandboxFile(join(paths.leaving, RECORD_NAME)),
  ]);
  const targets = records.filter((record) => record !== undefined);
  if (hostId === undefined || targets.some(({ host_id }) => host_id === hostId)) return targets;
  return [...targets, { host_id: hostId, isolation: 'none', process: null }];
}
