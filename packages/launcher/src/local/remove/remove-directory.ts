/** Removes the directory of a sandbox, whatever its programs have made of it. */
import { execFile } from 'node:child_process';
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SandboxError, toErrorMessage } from '@omnigent/protocol';
import type { SandboxPaths } from '../records/paths.ts';

const run = promisify(execFile);
/** What is in a home before its first program. */
const HOST_ENTRIES = new Set(['.omnigent', 'workspace']);

/** Whether there is something at a path, be it a broken link. */
async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Gives the directory the name that tells a reader, and a repeated call, that it is on its way out. Nothing can be
 * started in it from then on.
 */
export async function markLeaving({ root, leaving }: SandboxPaths): Promise<void> {
  // Left by a removal that was interrupted.
  await removeTree(leaving);
  await rename(root, leaving).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

/**
 * Removes a directory with everything below it, also what denies its owner all access.
 *
 * @throws SandboxError `internal` when something of it stays.
 */
export async function removeTree(path: string): Promise<void> {
  const isLarge = await hasContent(path);
  // Thousands of files would keep this process's few file threads from everything else.
  if (isLarge && (await removeByTool(path)) === undefined) return;
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await removeStubborn(path);
  }
}

/** Whether anybody put something into the sandbox's home. */
async function hasContent(path: string): Promise<boolean> {
  const [home, workspace] = await Promise.all(
    ['home', 'home/workspace'].map((name) => readdir(join(path, name)).catch(() => [])),
  );
  return home?.some((name) => !HOST_ENTRIES.has(name)) === true || (workspace?.length ?? 0) > 0;
}

/** Returns why it failed; undefined when nothing is left. */
async function removeByTool(path: string): Promise<unknown> {
  return await run('rm', ['-rf', '--', path]).then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Directories that nobody may enter, or that lie deeper than a path can say: the system's own tools get through. */
async function removeStubborn(path: string): Promise<void> {
  await run('chmod', ['-R', 'u+rwx', '--', path]).catch(() => undefined);
  const failure = await removeByTool(path);
  if (await isThere(path))
    throw new SandboxError('internal', `cannot remove ${path}: ${toErrorMessage(failure)}`, {
      cause: failure,
    });
}
