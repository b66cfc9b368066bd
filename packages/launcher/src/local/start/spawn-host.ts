/** Starts the host of a sandbox as a process tree of its own, which outlives the server. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { HOST_ENVIRONMENT, SandboxError, toErrorMessage } from '@omnigent/protocol';
import type { Isolation } from '../isolation/isolation.ts';
import { writeEnvironment } from '../isolation/write-environment.ts';
import type { SandboxPaths } from '../records/paths.ts';

export interface SpawnOptions {
  readonly isolation: Isolation;
  readonly paths: SandboxPaths;
  readonly argv: readonly string[];
  /** Environment of the host. */
  readonly environment: Readonly<Record<string, string>>;
  readonly hostId: string;
  /** Where `bwrap` is looked for. */
  readonly machinePath: string | undefined;
}

/** Resolves when the program runs. @throws SandboxError when it cannot be started. */
export async function spawnHost(options: SpawnOptions): Promise<ChildProcess> {
  const { argv, environment, hostId, isolation, machinePath, paths } = options;
  const [program = '', ...args] = argv;
  const isIsolated = isolation.kind === 'bubblewrap';
  await using log = await open(paths.log, 'a', 0o600);
  const child = spawn(program, args, {
    cwd: paths.home,
    // What runs outside gets nothing of the request but the mark by which it is found again.
    env: isIsolated ? { PATH: machinePath, [HOST_ENVIRONMENT.id]: hostId } : environment,
    stdio: ['ignore', log.fd, log.fd, isIsolated ? 'pipe' : 'ignore'],
    detached: true,
  });
  try {
    await once(child, 'spawn');
  } catch (cause) {
    throw new SandboxError(
      isIsolated ? 'isolation_unavailable' : 'launch_failed',
      `cannot start ${program}: ${toErrorMessage(cause)}`,
      { cause },
    );
  }
  if (isIsolated) writeEnvironment(child, environment);
  child.unref();
  return child;
}
