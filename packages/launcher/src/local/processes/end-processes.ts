/** Ends every process of a local sandbox, and makes sure of it. */
import { SandboxError } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import type { SandboxFile } from '../records/sandbox-file.ts';
import { findSandboxProcesses } from './find-processes.ts';
import type { FoundProcesses, SandboxProcess } from './find-processes.ts';
import { isAlive } from './process-stat.ts';
import { sortProcesses } from './sort-processes.ts';

/** Time for the host to end its programs and itself after SIGTERM. */
const GRACE_MS = 3_000;
/** For the parent of a namespace to notice its end; it was stopped when that takes longer. */
const BURIAL_MS = 500;
/** For a process that does not die of SIGKILL: it waits for a disk or a network file system. */
const KILL_BUDGET_MS = 20_000;
/** The end of another process's child raises no event: short looks, that get rarer. */
const FIRST_LOOK_MS = 1;
const SLOWEST_LOOK_MS = 25;

/** What is known of the sandbox whose processes end. */
export type EndTarget = Pick<SandboxFile, 'host_id' | 'isolation' | 'process'>;

export interface EndOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Ends all processes of a sandbox. Programs get SIGTERM through their host and a grace; a host without programs has
 * nothing to save and is killed at once.
 *
 * @throws SandboxError `timeout` when a process survives SIGKILL.
 */
export async function endProcesses(target: EndTarget, options: EndOptions): Promise<void> {
  let found = await findSandboxProcesses(target);
  const { host, programs } = sortProcesses(found.processes);
  if (host !== undefined && programs.length > 0) {
    await sendSignal([host], 'SIGTERM');
    await waitUntilEnded([host], { ...options, budgetMs: GRACE_MS });
    if (!found.isComplete) {
      // What had cleared its environment and has lost its parent is not found again: it stays on the list.
      const { processes } = await findSandboxProcesses(target);
      found = { processes: [...found.processes, ...processes], isComplete: false };
    }
  }
  const deadline = options.clock.monotonicMs() + KILL_BUDGET_MS;
  while (found.processes.length > 0) {
    const left = await killAll(found, { ...options, budgetMs: deadline - options.clock.monotonicMs() });
    if (left.length > 0) throw toSurvivorError(left);
    if (found.isComplete) return;
    // One that was being started while the others were looked for is found now.
    found = await findSandboxProcesses(target);
  }
}

/** Returns what survives. */
async function killAll(
  { processes, isComplete }: FoundProcesses,
  options: EndOptions & { readonly budgetMs: number },
): Promise<readonly SandboxProcess[]> {
  const [monitor] = processes;
  if (isComplete && monitor !== undefined) {
    // All others die with the namespace's first process, which its parent can bury: no zombie is left to the machine.
    await sendSignal(
      processes.filter(({ parent }) => parent === monitor.pid),
      'SIGKILL',
    );
    const left = await waitUntilEnded(processes, { ...options, budgetMs: BURIAL_MS });
    if (left.length === 0) return left;
  }
  await sendSignal(processes, 'SIGKILL');
  return await waitUntilEnded(processes, options);
}

async function filterAlive(processes: readonly SandboxProcess[]): Promise<readonly SandboxProcess[]> {
  const alive = await Promise.all(processes.map(isAlive));
  return processes.filter((_, index) => alive[index]);
}

async function sendSignal(processes: readonly SandboxProcess[], signal: NodeJS.Signals): Promise<void> {
  // Looked at again: since they were found, a pid may have gone to a process that is not ours.
  for (const { pid } of await filterAlive(processes)) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended between the look and the signal.
    }
  }
}

async function waitUntilEnded(
  processes: readonly SandboxProcess[],
  { clock, signal, budgetMs }: EndOptions & { readonly budgetMs: number },
): Promise<readonly SandboxProcess[]> {
  const deadline = clock.monotonicMs() + budgetMs;
  let left = processes;
  for (let delayMs = FIRST_LOOK_MS; ; delayMs = Math.min(SLOWEST_LOOK_MS, delayMs * 2)) {
    left = await filterAlive(left);
    if (left.length === 0 || clock.monotonicMs() >= deadline) return left;
    await clock.sleep(delayMs, { signal });
  }
}

function toSurvivorError(left: readonly SandboxProcess[]): SandboxError {
  const pids = left.map(({ pid }) => pid).join(', ');
  return new SandboxError(
    'timeout',
    `expected processes ${pids} of the sandbox to end by SIGKILL, found them alive after ${KILL_BUDGET_MS / 1000} s`,
  );
}
