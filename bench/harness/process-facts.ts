/** What the kernel says of a process. Linux only, like the local provider. */
import { readFile } from 'node:fs/promises';

/** Resident memory of a process in MiB. */
export async function readResidentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  if (kilobytes === undefined) throw new Error(`process ${pid} was expected to be running; it has no memory`);
  return Number(kilobytes) / 1024;
}

/** Whether a process runs; one that has ended and was not yet reaped does not. */
export async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return /^State:\s+[^Z\s]/m.test(status);
}
