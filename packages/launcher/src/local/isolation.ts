/** Whether bubblewrap works on this machine, found out by trying it once. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SandboxError, toErrorMessage } from '@omnigent/protocol';
import { buildSystemArguments, readRootEntries } from './bubblewrap.ts';
import type { RootEntry } from './bubblewrap.ts';
import type { LocalConfig } from './config.ts';

export type Isolation =
  | { readonly kind: 'bubblewrap'; readonly rootEntries: readonly RootEntry[] }
  | { readonly kind: 'none'; readonly warning: string | null };

const PROBE_TIMEOUT_MS = 10_000;
const run = promisify(execFile);

/** Tries bubblewrap with the namespaces that a sandbox uses. Returns why it does not work, or null. */
export async function probeBubblewrap(rootEntries: readonly RootEntry[]): Promise<string | null> {
  try {
    await run('bwrap', [...buildSystemArguments(rootEntries), '--', '/usr/bin/true'], {
      timeout: PROBE_TIMEOUT_MS,
    });
    return null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'bwrap is not installed';
    const text = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    return text === '' ? toErrorMessage(error) : text.slice(0, 500);
  }
}

/** Decides how sandboxes are isolated. @throws SandboxError `isolation_unavailable` when bubblewrap is demanded and does not work. */
export async function resolveIsolation(config: LocalConfig): Promise<Isolation> {
  if (config.isolation === 'none') return { kind: 'none', warning: null };
  const rootEntries = await readRootEntries();
  const fault = await probeBubblewrap(rootEntries);
  if (fault === null) return { kind: 'bubblewrap', rootEntries };
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
