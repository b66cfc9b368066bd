/** Signals and ends programs with all their descendants, also those that left the program's group and session. */
import type { Clock, SignalName } from '@omnigent/protocol';
import { listMembers, selectTree, trySignal } from './process-tree.ts';
import type { TreeMember } from './process-tree.ts';

const FIRST_POLL_MS = 10;
const MAX_POLL_MS = 250;
/** How often SIGKILL is sent to what keeps forking. */
const KILL_ROUNDS = 5;

/** Programs that are signalled together. */
export interface Programs {
  /** Their process groups. */
  readonly groups: readonly number[];
  /** Finds all their processes; asked again until there is none. */
  readonly find: () => Promise<TreeMember[]>;
}

/** One program by the pid of its leader and its mark. */
export function toProgram(leader: number, mark: string): Programs {
  return { groups: [leader], find: async () => selectTree(await listMembers(), leader, mark) };
}

/** Programs whose marks begin so. */
export function toPrograms(groups: readonly number[], markPrefix: string): Programs {
  return {
    groups,
    find: async () => (await listMembers()).filter(({ mark }) => mark?.startsWith(markPrefix) === true),
  };
}

/** Sends a signal to every process of the programs, once. */
export async function signalPrograms({ groups, find }: Programs, signal: SignalName): Promise<void> {
  // The groups first and each as a whole: nothing can fork its way out of one call.
  for (const group of groups) trySignal(-group, signal);
  for (const { pid, group } of await find()) if (!groups.includes(group)) trySignal(pid, signal);
}

export interface EndOptions {
  readonly clock: Clock;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Sent at first; SIGTERM when absent. */
  readonly signals?: readonly SignalName[];
}

/** Ends the programs: SIGTERM, a grace, SIGKILL for whoever is left. Resolves when nothing is left that a signal could end. */
export async function endPrograms(programs: Programs, options: EndOptions): Promise<void> {
  const { clock, graceMs, signals = ['SIGTERM'] } = options;
  for (const signal of signals) await signalPrograms(programs, signal);
  const deadline = clock.monotonicMs() + graceMs;
  for (let delay = FIRST_POLL_MS; clock.monotonicMs() < deadline; delay = Math.min(MAX_POLL_MS, delay * 2)) {
    if ((await programs.find()).length === 0) return;
    await clock.sleep(delay);
  }
  for (let round = 0; round < KILL_ROUNDS; round += 1) {
    const left = await programs.find();
    if (left.length === 0) return;
    for (const { pid } of left) trySignal(pid, 'SIGKILL');
    await clock.sleep(FIRST_POLL_MS);
  }
}
