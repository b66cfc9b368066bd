/** Tells the processes of a sandbox apart. */
import type { SandboxProcess } from './find-processes.ts';

/** The processes of a sandbox by their part in it. */
export interface SortedProcesses {
  readonly host: SandboxProcess | undefined;
  /** What isolates the host: its ancestors. */
  readonly wrappers: readonly SandboxProcess[];
  /** Everything else: what the host has started, wherever it went. */
  readonly programs: readonly SandboxProcess[];
}

/** Sorts the processes of one sandbox. */
export function sortProcesses(processes: readonly SandboxProcess[]): SortedProcesses {
  const byPid = new Map(processes.map((process) => [process.pid, process]));
  // A host of another version may let its programs inherit the token: the host is the topmost one.
  const host = processes.find(({ isHost, parent }) => isHost && byPid.get(parent)?.isHost !== true);
  const wrappers = new Set<SandboxProcess>();
  for (let next = byPid.get(host?.parent ?? -1); next !== undefined; next = byPid.get(next.parent)) {
    if (wrappers.has(next)) break;
    wrappers.add(next);
  }
  return {
    host,
    wrappers: [...wrappers],
    programs: processes.filter((process) => process !== host && !wrappers.has(process)),
  };
}
