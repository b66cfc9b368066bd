/** Tries bubblewrap the way a sandbox uses it. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { isSandboxError, toCanceledError, toErrorMessage } from '@omnigent/protocol';
import { killTree } from '../processes/kill-tree.ts';
import { buildBubblewrapCommand } from './bubblewrap.ts';
import type { Wrapping } from './bubblewrap.ts';
import { explainFault } from './explain-fault.ts';
import type { MachineFacts } from './explain-fault.ts';
import { INSIDE } from './inside.ts';
import { writeEnvironment } from './write-environment.ts';

const PROBE_TIMEOUT_MS = 10_000;
const MAX_TEXT = 500;

export interface ProbeOptions {
  readonly wrapping: Wrapping;
  readonly path: string | undefined;
  /** Whether to run the host itself, which fills the compile cache, or Node.js alone. */
  readonly isFilling: boolean;
  readonly signal: AbortSignal;
}

/** Runs Node.js in all of a sandbox's namespaces. Returns why that does not work, or null. @throws SandboxError when the signal aborts. */
export async function probeBubblewrap(options: ProbeOptions): Promise<string | null> {
  const { wrapping, isFilling, signal } = options;
  const command = [INSIDE.node, ...(isFilling ? [`${INSIDE.host}/main.js`] : []), '--version'];
  const argv = buildBubblewrapCommand({ ...wrapping, isCacheWritable: isFilling, command });
  const [program = '', ...args] = argv;
  const late = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  if (signal.aborted) throw toCanceledError(signal, 'the look at the isolation');
  try {
    const both = AbortSignal.any([signal, late]);
    const { code, errors } = await runProbe(program, args, { path: options.path, signal: both });
    if (signal.aborted) throw toCanceledError(signal, 'the look at the isolation');
    if (code === 0) return null;
    if (late.aborted) return `bwrap did not end within ${PROBE_TIMEOUT_MS / 1000} s`;
    const said = errors.trim().slice(0, MAX_TEXT) || `bwrap ended with ${code}`;
    const reason = explainFault(await readMachineFacts(wrapping.isRoot));
    return reason === null ? said : `${said}; ${reason}`;
  } catch (error) {
    if (isSandboxError(error)) throw error;
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? 'bwrap is not installed' : toErrorMessage(error);
  }
}

async function runProbe(
  program: string,
  args: readonly string[],
  { path, signal }: Pick<ProbeOptions, 'path' | 'signal'>,
): Promise<{ readonly code: number | string | null; readonly errors: string }> {
  const child = spawn(program, args, { env: { PATH: path }, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  const { promise, resolve, reject } = Promise.withResolvers<number | string | null>();
  child.once('error', reject);
  child.once('close', (code, killedBy) => resolve(code ?? killedBy));
  const stop = () => {
    if (child.pid !== undefined) void killTree(child.pid);
  };
  signal.addEventListener('abort', stop, { once: true });
  writeEnvironment(child, { NODE_COMPILE_CACHE: INSIDE.compileCache });
  try {
    const [code, errors] = await Promise.all([promise, child.stderr === null ? '' : text(child.stderr)]);
    return { code, errors };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function readMachineFacts(isRoot: boolean): Promise<MachineFacts> {
  const [max, clone, apparmor] = await Promise.all(
    [
      '/proc/sys/user/max_user_namespaces',
      '/proc/sys/kernel/unprivileged_userns_clone',
      '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    ].map((path) => readFile(path, 'latin1').then(Number, () => null)),
  );
  return {
    isRoot,
    maxUserNamespaces: max ?? null,
    isUsernsCloneOff: clone === 0,
    isApparmorRestricted: apparmor === 1,
  };
}
