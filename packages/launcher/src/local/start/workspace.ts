/** Where the workspace is, and who makes it; pure. */
import { join } from 'node:path';
import { SANDBOX_WORKSPACE } from '@omnigent/protocol';
import type { PrepareWorkspace, Repository } from '@omnigent/protocol';

const CLONE_TIMEOUT_SECONDS = 3600;

/** Whether a repository lies on this machine: the launcher clones it, so that the sandbox never sees the original. */
export function isLocalRepository({ url }: Repository): boolean {
  return url.startsWith('/');
}

/** Absolute path of the workspace as the host sees it. */
export function resolveWorkspace(
  repositories: readonly Repository[],
  outside: { readonly isIsolated: boolean; readonly workspace: string },
): string {
  const base = outside.isIsolated ? SANDBOX_WORKSPACE : outside.workspace;
  const [only] = repositories;
  return only !== undefined && repositories.length === 1 ? join(base, only.directory) : base;
}

/**
 * What the host has to do. It takes a directory that is there for made, so it is also told of the clones of the
 * launcher: a single one is where its programs start. Null when it would find nothing to do.
 */
export function buildPreparation(repositories: readonly Repository[]): PrepareWorkspace | null {
  const isMade = repositories.length !== 1 && repositories.every(isLocalRepository);
  if (isMade) return null;
  return {
    repositories: repositories.map(({ url, branch, directory }) => ({
      url,
      directory,
      ...(branch === undefined ? {} : { branch }),
    })),
    git: { submodules: false, lfs: 'skip' },
    timeout_seconds: CLONE_TIMEOUT_SECONDS,
  };
}
