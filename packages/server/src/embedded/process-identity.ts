/** Tells a process from a later one that got the same pid: by its start time. */
import { readFile } from 'node:fs/promises';

/** Start time of a process in clock ticks since boot; undefined when it does not exist (any more). */
export async function readStartTime(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  // The command may hold spaces and parentheses; the fields follow the last one: field 3 is the state, field 22 the start time.
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}

/** Whether the process that had this start time still runs. */
export async function isSameProcess(pid: number, startTime: string): Promise<boolean> {
  return (await readStartTime(pid)) === startTime;
}
