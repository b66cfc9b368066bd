/** Kills a child of ours with everything below it. */
import { findTree } from './find-processes.ts';

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/**
 * Kills a process and all its descendants. It is stopped before they are looked for: bubblewrap that dies in the middle
 * of its start would leave a child that waits for it for ever.
 */
export async function killTree(root: number): Promise<void> {
  // 0 and below name whole groups of processes, ours among them.
  if (root <= 1) return;
  send(root, 'SIGSTOP');
  const processes = (await findTree(root)) ?? [];
  for (const { pid } of processes) send(pid, 'SIGKILL');
  send(root, 'SIGKILL');
}
