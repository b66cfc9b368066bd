/** Finds and signals every process that belongs to a program: its group, its session, and descendants that left both. */
import { readFile, readdir } from 'node:fs/promises';
import type { SignalName } from '@omnigent/protocol';

/** Set in the environment of every program; children inherit it, also when they leave group and session. */
export const PROCESS_MARK = 'OMNIGENT_PROCESS';

/** A process of the sandbox. */
export interface TreeMember {
  readonly pid: number;
  readonly group: number;
  readonly session: number;
  /** Value of {@link PROCESS_MARK} in the environment it was started with. */
  readonly mark: string | undefined;
}

/** All processes whose environment this host may read; other users' are left out, and so are zombies. */
export async function listMembers(): Promise<TreeMember[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(names.map(readMember));
  return found.filter((member) => member !== undefined).filter(({ pid }) => pid !== process.pid);
}

/** Those that belong to the program whose leader has, or had, this pid. */
export function selectTree(members: readonly TreeMember[], leader: number, mark: string): TreeMember[] {
  return members.filter(
    (member) => member.mark === mark || member.group === leader || member.session === leader,
  );
}

/** Sends a signal; false when there is no such process any more. */
export function trySignal(pid: number, signal: SignalName): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

async function readMember(name: string): Promise<TreeMember | undefined> {
  const [stat, environment] = await Promise.all([
    readFile(`/proc/${name}/stat`, 'latin1').catch(() => ''),
    readFile(`/proc/${name}/environ`, 'latin1').catch(() => undefined),
  ]);
  if (stat === '' || environment === undefined) return undefined;
  return parseMember(stat, environment);
}

/** Reads a member from the texts of /proc/PID/stat and /proc/PID/environ; undefined for a zombie. */
export function parseMember(stat: string, environment: string): TreeMember | undefined {
  // The command may hold spaces and parentheses; the fields follow the last one: state, ppid, pgrp, session.
  const [state, , group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === undefined || state === 'Z' || state === 'X') return undefined;
  const prefix = `${PROCESS_MARK}=`;
  const entry = environment.split('\0').find((text) => text.startsWith(prefix));
  return {
    pid: Number.parseInt(stat, 10),
    group: Number(group),
    session: Number(session),
    mark: entry?.slice(prefix.length),
  };
}
