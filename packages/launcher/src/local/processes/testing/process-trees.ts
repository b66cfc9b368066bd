/** Real processes to find and to end. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { HOST_ENVIRONMENT, buildId, systemRandomBytes } from '@omnigent/protocol';

/** A stand-in for a sandbox without isolation: a shell that is its host. */
export interface Tree {
  readonly hostId: string;
  readonly child: ChildProcess;
  /** Pids that the script has printed. */
  readonly pids: readonly number[];
}

/** Runs a script as host; resolves when it has printed `ready` after the pids of what it has started. */
export async function startTree(script: string): Promise<Tree> {
  const hostId = buildId('h', systemRandomBytes);
  const child = spawn('bash', ['-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      [HOST_ENVIRONMENT.id]: hostId,
      [HOST_ENVIRONMENT.token]: 'secret',
    },
  });
  const pids: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'ready') break;
    pids.push(Number(line));
  }
  child.stdout.destroy();
  return { hostId, child, pids };
}
