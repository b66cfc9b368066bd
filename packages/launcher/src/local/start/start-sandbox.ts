/** Starts one sandbox, step by step; only sequences. A crash between any two steps leaves what the sweep finds. */
import type { ChildProcess } from 'node:child_process';
import type { LaunchRequest, StartHostOptions } from '../../port/launcher.ts';
import { readBootId, readStat } from '../processes/process-stat.ts';
import type { SandboxPaths } from '../records/paths.ts';
import { writeSandboxFile } from '../records/sandbox-file.ts';
import type { SandboxFile } from '../records/sandbox-file.ts';
import { removeSandbox } from '../remove/remove-sandbox.ts';
import { buildHostStart } from './build-host-start.ts';
import { cloneRepositories } from './clone-repositories.ts';
import { handOver, makeFiles, makeRoot } from './make-files.ts';
import { spawnHost } from './spawn-host.ts';
import type { StartContext } from './start-context.ts';
import { isLocalRepository } from './workspace.ts';

export interface StartOptions extends StartHostOptions {
  readonly paths: SandboxPaths;
  readonly request: LaunchRequest;
}

/** Resolves with the started process. What was made when it rejects is the caller's to remove. */
export async function startSandbox(context: StartContext, options: StartOptions): Promise<ChildProcess> {
  const { paths, request, signal, onStage } = options;
  const { isolation, machinePath } = context;
  await ensureEmptyRoot(context, options);
  const file: SandboxFile = {
    instance: context.instance,
    host_id: request.hostId,
    created_at: context.clock.now(),
    isolation: isolation.kind,
    process: null,
  };
  // The intent, before anything runs: whatever happens next, the sweep finds it.
  await writeSandboxFile(paths.record, file);
  await makeFiles(paths, request.hostConfig);
  const local = request.repositories.filter(isLocalRepository);
  if (local.length > 0) {
    onStage('cloning');
    await cloneRepositories(local, { paths, hostId: request.hostId, searchPath: machinePath, signal });
  }
  if (isolation.kind === 'bubblewrap' && isolation.isRoot)
    await handOver(paths, { hasClones: local.length > 0, signal });
  signal.throwIfAborted();
  onStage('starting');
  const start = buildHostStart(context, { paths, request });
  const child = await spawnHost({ ...start, isolation, paths, hostId: request.hostId, machinePath });
  await writeSandboxFile(paths.record, { ...file, process: await toRecordedProcess(child) });
  signal.throwIfAborted();
  return child;
}

/** What an interrupted start of the same sandbox left is removed. */
async function ensureEmptyRoot(context: StartContext, options: StartOptions): Promise<void> {
  const { paths, signal } = options;
  if (await makeRoot(paths)) return;
  await removeSandbox(paths, { clock: context.clock, signal });
  await makeRoot(paths);
}

async function toRecordedProcess({ pid = 0 }: ChildProcess): Promise<SandboxFile['process']> {
  const [stat, bootId] = await Promise.all([readStat(pid), readBootId()]);
  // One that has ended already has no start time that a living process could have.
  return { pid, start_time: stat?.startTime ?? '', boot_id: bootId };
}
