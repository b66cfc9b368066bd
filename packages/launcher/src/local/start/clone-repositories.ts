/** Clones the repositories of this machine that a launch asks for. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '@omnigent/protocol';
import { cloneLocalRepository } from '../clone/clone-local.ts';
import { GIT_SETTINGS, buildGitEnvironment } from '../clone/git-settings.ts';
import type { SandboxPaths } from '../records/paths.ts';

export interface CloneRepositoriesOptions {
  readonly paths: SandboxPaths;
  readonly hostId: string;
  readonly searchPath: string | undefined;
  readonly signal: AbortSignal;
}

/** Clones all of them at once; the first failure ends the rest. @throws SandboxError as `cloneLocalRepository` does. */
export async function cloneRepositories(
  repositories: readonly Repository[],
  { paths, hostId, searchPath, signal }: CloneRepositoriesOptions,
): Promise<void> {
  await writeFile(paths.gitSettings, GIT_SETTINGS);
  const env = buildGitEnvironment({ settingsPath: paths.gitSettings, searchPath, hostId });
  const failed = new AbortController();
  const options = { env, signal: AbortSignal.any([signal, failed.signal]) };
  const clones = repositories.map(async (repository) => {
    try {
      await cloneLocalRepository(repository, {
        ...options,
        target: join(paths.workspace, repository.directory),
      });
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(clones);
  // The reason of the abort is the failure that came first.
  if (failed.signal.aborted) throw failed.signal.reason;
}
