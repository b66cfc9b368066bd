/** Tries bubblewrap the way a sandbox uses it. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { toErrorMessage } from '@omnigent/protocol';
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
}

/** Runs Node.js in all of a sandbox's namespaces. Returns why that does not work, or null. */
export async function probeBubblewrap({ wrapping, path, isFilling }: ProbeOptions): Promise<string | null> {
  const command = [INSIDE.node, ...(isFilling ? [`${INSIDE.host}/main.js`] : []), '--version'];
  const argv = buildBubblewrapCommand({ ...wrapping, isCacheWritable: isFilling, command });
  const [program = '', ...args] = argv;
  try {
    const { code, errors } = await runProbe(program, args, path);
    if (code === 0) return null;
    const said = errors.trim().slice(0, MAX_TEXT) || `bwrap ended with ${code}`;
    const reason = explainFault(await readMachineFacts(wrapping.isRoot));
    return reason === null ? said : `${said}; ${reason}`;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? 'bwrap is not installed' : toErrorMessage(error);
  }
}

async function runProbe(
  program: string,
  args: readonly string[],
  path: string | undefined,
): Promise<{ readonly code: number | string | null; readonly errors: string }> {
  const child = spawn(program, args, {
    env: { PATH: path },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    timeout: PROBE_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const { promise, resolve, reject } = Promise.withResolvers<number | string | null>();
  child.once('error', reject);
  child.once('close', (code, signal) => resolve(code ?? signal));
  writeEnvironment(child, { NODE_COMPILE_CACHE: INSIDE.compileCache });
  const [code, errors] = await Promise.all([promise, child.stderr === null ? '' : text(child.stderr)]);
  return { code, errors };
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
