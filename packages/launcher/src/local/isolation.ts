/** Whether bubblewrap works on this machine, found out by trying it once. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SandboxError, toErrorMessage } from '@omnigent/protocol';
import { buildProbeArguments, buildSystemArguments, readRootEntries } from './bubblewrap.ts';
import type { HostFiles, RootEntry } from './bubblewrap.ts';
import { openCompileCache } from './compile-cache.ts';
import type { LocalConfig } from './config.ts';
import { INSIDE } from './paths.ts';

export type Isolation =
  | {
      readonly kind: 'bubblewrap';
      readonly rootEntries: readonly RootEntry[];
      readonly compileCache: string | null;
    }
  | { readonly kind: 'none'; readonly warning: string | null };

export interface IsolationOptions extends Omit<HostFiles, 'compileCache'> {
  readonly config: LocalConfig;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const PROBE_TIMEOUT_MS = 10_000;
const run = promisify(execFile);

/** Tries bubblewrap. Returns why it does not work, or null. */
async function probeBubblewrap(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    await run('bwrap', [...args], { timeout: PROBE_TIMEOUT_MS, env });
    return null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'bwrap is not installed';
    const text = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    return text === '' ? toErrorMessage(error) : text.slice(0, 500);
  }
}

/** Decides how sandboxes are isolated. @throws SandboxError `isolation_unavailable` when bubblewrap is demanded and does not work. */
export async function resolveIsolation(options: IsolationOptions): Promise<Isolation> {
  const { config, environment, nodePath, hostBundle } = options;
  if (config.isolation === 'none') return { kind: 'none', warning: null };
  const [rootEntries, cache] = await Promise.all([
    readRootEntries(),
    openCompileCache(hostBundle, environment),
  ]);
  const compileCache = cache?.directory ?? null;
  const isFilling = cache?.isFilled === false;
  const probe = isFilling
    ? buildProbeArguments(rootEntries, { nodePath, hostBundle, compileCache })
    : [...buildSystemArguments(rootEntries), '--', '/usr/bin/true'];
  const fault = await probeBubblewrap(probe, {
    PATH: environment['PATH'],
    NODE_COMPILE_CACHE: INSIDE.compileCache,
  });
  if (fault === null) return { kind: 'bubblewrap', rootEntries, compileCache };
  if (config.isolation === 'bubblewrap') {
    throw new SandboxError(
      'isolation_unavailable',
      `sandbox.local.isolation: bubblewrap was demanded and does not work: ${fault}`,
    );
  }
  return {
    kind: 'none',
    warning: `this sandbox is NOT isolated from the machine: bubblewrap does not work here (${fault}); install bubblewrap, or ask for isolation: none to silence this`,
  };
}
