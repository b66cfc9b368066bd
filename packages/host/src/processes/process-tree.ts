/** Finds and signals every process that belongs to a program: its group, and descendants that left it. */
import { readFile, readdir } from 'node:fs/promises';
import type { SignalName } from '@omnigent/protocol';

/** Set in the environment of every program; children inherit it, also when they leave group and session. */
export const PROCESS_MARK = 'OMNIGENT_PROCESS';

/** Sends a signal; false when there is no such process any more. */
function trySignal(pid: number, signal: SignalName | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Pids whose environment carries the mark. Other users' processes cannot be read and are left out. */
export async function findMarkedPids(mark: string): Promise<number[]> {
  const entry = `${PROCESS_MARK}=${mark}`;
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    names.map(async (name) => {
      const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '');
      return environment.split('\0').includes(entry) ? [Number(name)] : [];
    }),
  );
  return found.flat();
}

/** Signals the whole group of `pid` and every marked process outside it. Returns how many were reached. */
export async function signalTree(pid: number, mark: string, signal: SignalName): Promise<number> {
  const isGroupReached = trySignal(-pid, signal);
  const marked = await findMarkedPids(mark);
  const outside: number[] = [];
  for (const candidate of marked) if ((await readGroup(candidate)) !== pid) outside.push(candidate);
  const reached = outside.filter((candidate) => trySignal(candidate, signal));
  return reached.length + (isGroupReached ? 1 : 0);
}

async function readGroup(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // The command may hold spaces and parentheses; the fields follow the last one: state, ppid, pgrp.
  const group = text.slice(text.lastIndexOf(')') + 2).split(' ')[2];
  return group === undefined ? undefined : Number(group);
}
