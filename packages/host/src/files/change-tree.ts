/** Directories that are made, and what is removed. */
import { chmod, lstat, mkdir, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SandboxError, hasSystemCode, isSandboxError } from '@omnigent/protocol';
import { withFileFaults } from './file-fault.ts';
import { isWithin, openParent, openPath, toAbsolute } from './opened-path.ts';
import type { FileScope } from './opened-path.ts';

/** Makes a directory and those above it; one that is there is kept. */
export async function createDirectory(
  scope: FileScope,
  options: { readonly path: string; readonly mode: number | undefined },
): Promise<void> {
  const absolute = toAbsolute(scope, options.path);
  for (const path of await listMissing(scope, absolute))
    await makeOne(scope, path, path === absolute ? options.mode : undefined);
}

// The bundler's form of `await using` keeps an error from one turn of a loop to the next: hence functions of their own.
async function makeOne(scope: FileScope, path: string, mode: number | undefined): Promise<void> {
  await using parent = await openParent(scope, path);
  await mkdir(parent.entry).catch(ignoreExisting);
  if (mode !== undefined) await chmod(parent.entry, mode);
}

/** The directories that are not there, from the top down. */
async function listMissing(scope: FileScope, absolute: string): Promise<string[]> {
  const missing: string[] = [];
  for (let path = absolute; !(await isDirectory(scope, path)); path = dirname(path)) missing.unshift(path);
  return missing;
}

async function isDirectory(scope: FileScope, path: string): Promise<boolean> {
  try {
    const opened = await withFileFaults(path, () => openPath(scope, path, { follow: true, directory: true }));
    await opened.handle.close();
    return true;
  } catch (error) {
    if (isSandboxError(error) && error.code === 'file_not_found') return false;
    throw error;
  }
}

function ignoreExisting(error: unknown): void {
  if (!hasSystemCode(error, 'EEXIST')) throw error;
}

/** Removes a file, a link, an empty directory or, when asked to, a tree. Links are not followed. */
export async function removeFile(
  scope: FileScope,
  options: { readonly path: string; readonly recursive: boolean },
): Promise<void> {
  await using parent = await openParent(scope, options.path);
  const stats = await lstat(parent.entry);
  if (!stats.isDirectory()) return await unlink(parent.entry);
  if (!options.recursive) return await rmdir(parent.entry);
  const realPath = `${parent.directory.realPath === '/' ? '' : parent.directory.realPath}/${parent.name}`;
  if (isWithin(realPath, await scope.hostState()))
    throw new SandboxError('path_forbidden', `${JSON.stringify(options.path)} holds the host's own state`);
  await rm(parent.entry, { recursive: true });
}
