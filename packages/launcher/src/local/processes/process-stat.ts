/** What the kernel says of one process in `/proc`. */
import { readFile } from 'node:fs/promises';

/** The process itself is gone when its {@link ProcessStat} is undefined or another start time is found. */
export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** Clock ticks since boot; tells a process from a later one with the same pid. */
  readonly startTime: string;
}

/** Parses `/proc/PID/stat`; undefined for a process of which only the exit status is left. */
export function parseStat(pid: number, text: string): ProcessStat | undefined {
  // The program's name may hold spaces and parentheses; the fields follow the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, startTime] = [fields[0], fields[1], fields[19]];
  if (parent === undefined || startTime === undefined || state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), startTime };
}

/** Reads a process; undefined when it has ended. */
export async function readStat(pid: number): Promise<ProcessStat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  return text === undefined ? undefined : parseStat(pid, text);
}

/** Whether this very process still runs. */
export async function isAlive({ pid, startTime }: Pick<ProcessStat, 'pid' | 'startTime'>): Promise<boolean> {
  return (await readStat(pid))?.startTime === startTime;
}

/** Variables that a process was started with; undefined when they may not be read. */
export async function readEnvironmentEntries(pid: number): Promise<readonly string[] | undefined> {
  const text = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => undefined);
  return text === '' ? [] : text?.split('\0');
}

/** Id of the machine's present run: start times of another one mean nothing. */
export async function readBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'latin1').catch(() => '')).trim();
}
