/**
 * Finds the processes of a sandbox. From the recorded process downwards where that is enough, which costs a few reads;
 * through all processes of the machine otherwise.
 */
import { readFile, readdir } from 'node:fs/promises';
import { HOST_ENVIRONMENT } from '@omnigent/protocol';
import type { SandboxFile } from '../records/sandbox-file.ts';
import { readBootId, readEnvironmentEntries, readStat } from './process-stat.ts';
import type { ProcessStat } from './process-stat.ts';

/** A living process of a sandbox. */
export interface SandboxProcess extends ProcessStat {
  /** Whether it is the host itself: only the host is started with a launch token. */
  readonly isHost: boolean;
}

/** The parent of all threads of the kernel. */
const KERNEL_THREADS = 2;
/** How often processes without an environment are looked at. */
const MAX_LOOKS = 4;
const TOKEN_ENTRY = `${HOST_ENVIRONMENT.token}=`;

function toSandboxProcess(stat: ProcessStat, entries: readonly string[] = []): SandboxProcess {
  return { ...stat, isHost: entries.some((entry) => entry.startsWith(TOKEN_ENTRY)) };
}

/** Whether the recorded process is that of this run of the machine and still lives. */
export async function isRecordedAlive(process: SandboxFile['process']): Promise<boolean> {
  if (process === null || process.boot_id !== (await readBootId())) return false;
  return (await readStat(process.pid))?.startTime === process.start_time;
}

/** What was found of a sandbox. */
export interface FoundProcesses {
  readonly processes: readonly SandboxProcess[];
  /** Whether nothing else can live once these have ended: they include the first process of the pid namespace. */
  readonly isComplete: boolean;
}

/** Every living process of the sandbox. */
export async function findSandboxProcesses(
  file: Pick<SandboxFile, 'host_id' | 'isolation' | 'process'>,
): Promise<FoundProcesses> {
  const { isolation, process, host_id } = file;
  // Whatever leaves its parent inside a pid namespace stays below the namespace's first process.
  if (isolation === 'bubblewrap' && process !== null && (await isRecordedAlive(process))) {
    const processes = await findTree(process.pid);
    // Before that has its first child there is no namespace yet.
    if (processes?.some(({ parent }) => parent === process.pid) === true)
      return { processes, isComplete: true };
  }
  return { processes: await findMarked(host_id), isComplete: false };
}

/** A process, which comes first, and all its descendants; undefined on a kernel that does not list children. */
export async function findTree(root: number): Promise<SandboxProcess[] | undefined> {
  const found = new Map<number, SandboxProcess>();
  for (let level = [root]; level.length > 0; ) {
    const members = await Promise.all(level.map(readMember));
    const next: number[] = [];
    for (const member of members) {
      if (member === undefined) continue;
      if (member.children === undefined) return undefined;
      found.set(member.process.pid, member.process);
      next.push(...member.children.filter((pid) => !found.has(pid)));
    }
    level = next;
  }
  return [...found.values()];
}

async function readMarked(
  pid: number,
): Promise<{ readonly stat: ProcessStat; readonly entries: readonly string[] | undefined } | undefined> {
  const [stat, entries] = await Promise.all([readStat(pid), readEnvironmentEntries(pid)]);
  return stat === undefined ? undefined : { stat, entries };
}

async function readMember(
  pid: number,
): Promise<{ readonly process: SandboxProcess; readonly children: number[] | undefined } | undefined> {
  const [stat, entries, children] = await Promise.all([
    readStat(pid),
    readEnvironmentEntries(pid),
    readChildren(pid),
  ]);
  return stat === undefined ? undefined : { process: toSandboxProcess(stat, entries), children };
}

/** Children of all threads of a process; undefined when the kernel does not list them. */
async function readChildren(pid: number): Promise<number[] | undefined> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) =>
      readFile(`/proc/${pid}/task/${thread}/children`, 'latin1').catch(async () =>
        (await readStat(pid)) === undefined ? '' : undefined,
      ),
    ),
  );
  if (lists.length > 0 && lists.every((list) => list === undefined)) return undefined;
  return lists.flatMap((list) => (list ?? '').split(' ').filter((text) => text !== '')).map(Number);
}

/**
 * Every process of the machine that carries the host id in its environment, and all descendants of those: a program may
 * have cleared its environment.
 */
export async function findMarked(hostId: string): Promise<SandboxProcess[]> {
  const mark = `${HOST_ENVIRONMENT.id}=${hostId}`;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = new Map<number, ProcessStat>();
  const found = new Map<number, SandboxProcess>();
  for (let looks = 0, left = pids; looks < MAX_LOOKS && left.length > 0; looks += 1) {
    const members = await Promise.all(left.map(readMarked));
    left = [];
    for (const { stat, entries } of members.filter((member) => member !== undefined)) {
      all.set(stat.pid, stat);
      if (entries?.includes(mark) === true) found.set(stat.pid, toSandboxProcess(stat, entries));
      // A process that is just replacing its program has no environment for a moment; threads of the kernel never have.
      else if (entries?.length === 0 && stat.parent !== KERNEL_THREADS && stat.pid !== KERNEL_THREADS)
        left.push(stat.pid);
    }
  }
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [pid, stat] of all)
      if (found.has(stat.parent) && !found.has(pid)) found.set(pid, { ...stat, isHost: false });
  }
  return [...found.values()];
}
