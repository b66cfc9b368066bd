/** Clones a repository of this machine for a sandbox, so that the sandbox never sees the original. */
import { parseRepository } from '@omnigent/protocol';
import type { Repository } from '@omnigent/protocol';
import { toCloneError } from './diagnose-clone.ts';
import { runGit } from './run-git.ts';
import type { GitOptions } from './run-git.ts';

export interface CloneOptions extends GitOptions {
  /** Directory of the clone; must not exist. */
  readonly target: string;
}

/**
 * Clones; what is left of a failed clone is the caller's to remove.
 *
 * @throws SandboxError `clone_*`, `git_missing` or `disk_full`, with git's text in `details.output`.
 */
export async function cloneLocalRepository(repository: Repository, options: CloneOptions): Promise<void> {
  const { target } = options;
  const [clone, origin] = await Promise.all([
    runGit(buildCloneArguments(repository, target), options),
    runGit(['-C', repository.url, 'config', '--get', 'remote.origin.url'], options),
  ]);
  if (clone.status !== 0) throw toCloneError(repository, clone);
  // The path of the original means nothing inside.
  const remote = isPublicAddress(origin.output)
    ? ['remote', 'set-url', 'origin', origin.output]
    : ['remote', 'remove', 'origin'];
  const changed = await runGit(['-C', target, ...remote], options);
  if (changed.status !== 0) throw toCloneError(repository, changed);
}

/** The arguments of `git` for a clone that shares nothing with the original. */
export function buildCloneArguments({ url, branch }: Repository, target: string): string[] {
  return [
    'clone',
    '--quiet',
    // Hard links would let a sandbox change the objects of the original.
    '--no-hardlinks',
    // An original that borrows objects of a third repository would leave a clone that is broken inside.
    '--dissociate',
    '--template=',
    ...(branch === undefined ? [] : ['--branch', branch]),
    '--',
    url,
    target,
  ];
}

/** Whether the original's own origin may be told to the sandbox: an address that carries no credentials and no path of this machine. */
export function isPublicAddress(address: string): boolean {
  try {
    return parseRepository(address).branch === undefined;
  } catch {
    return false;
  }
}
