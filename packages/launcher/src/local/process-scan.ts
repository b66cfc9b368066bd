/** Finds processes of this machine by what `/proc` says of them. */
import { readFile, readdir } from 'node:fs/promises';
import { HOST_ENVIRONMENT } from '@omnigent/protocol';

/** Start time of a process in clock ticks since boot; undefined when it does not exist or only its exit status is left. */
export async function readStartTime(pid: number): Promise<string | undefined> {
  const stat = await readStat(pid);
  return stat === undefined || stat.state === 'Z' ? undefined : stat.startTime;
}

interface ProcessStat {
  readonly state: string;
  readonly parent: number;
  readonly startTime: string;
}

async function readStat(pid: number): Promise<ProcessStat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  // The command may hold spaces and parentheses; the fields follow the last one.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, startTime] = [fields?.[0], fields?.[1], fields?.[19]];
  return state === undefined || parent === undefined || startTime === undefined
    ? undefined
    : { state, parent: Number(parent), startTime };
}

/**
 * Every process of the sandbox with this host id: those that carry it in their environment, and their descendants
 * (which may have cleared theirs).
 */
export async function findSandboxPids(hostId: string): Promise<number[]> {
  const mark = `${HOST_ENVIRONMENT.id}=${hostId}`;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map<number, number>();
  const found = new Set<number>();
  await Promise.all(
    pids.map(async (pid) => {
      const [stat, environment] = await Promise.all([
        readStat(pid),
        readFile(`/proc/${pid}/environ`, 'latin1').catch(() => ''),
      ]);
      if (stat === undefined || stat.state === 'Z') return;
      parents.set(pid, stat.parent);
      if (environment.split('\0').includes(mark)) found.add(pid);
    }),
  );
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}
