/** Paths in a sandbox: what they lead to, and the names that a pattern matches. */
import { posix } from 'node:path';
import type { SandboxFiles } from '@omnigent/client';
import { SandboxError, isSandboxError } from '@omnigent/protocol';
import type { FileStat } from '@omnigent/protocol';

const MAX_LINKS = 40;

/** What a path is; undefined when nothing is there. */
export async function lookAt(files: SandboxFiles, path: string): Promise<FileStat | undefined> {
  try {
    return await files.stat(path);
  } catch (error) {
    if (isSandboxError(error) && error.code === 'file_not_found') return undefined;
    throw error;
  }
}

/** What a path leads to when links are followed. */
export async function follow(files: SandboxFiles, path: string): Promise<FileStat | undefined> {
  let found = await lookAt(files, path);
  for (let count = 0; found?.target != null; count += 1) {
    if (count === MAX_LINKS)
      throw new SandboxError(
        'file_conflict',
        `expected a link that ends somewhere, found ${JSON.stringify(path)}`,
      );
    found = await lookAt(files, posix.resolve(posix.dirname(found.path), found.target));
  }
  return found;
}

/** The paths that a source names: itself when it is there, else what it matches, sorted. @throws SandboxError `file_not_found`. */
export async function expandPattern(files: SandboxFiles, pattern: string): Promise<readonly string[]> {
  if (!/[*?[]/.test(pattern) || (await lookAt(files, pattern)) !== undefined) return [pattern];
  let paths = [pattern.startsWith('/') ? '/' : ''];
  for (const part of pattern.split('/').filter((name) => name !== '')) {
    const next = paths.map((path) => matchIn(files, path, part));
    paths = (await Promise.all(next)).flat();
  }
  if (paths.length > 0) return paths;
  throw new SandboxError('file_not_found', `nothing in the sandbox matches ${JSON.stringify(pattern)}`);
}

async function matchIn(files: SandboxFiles, directory: string, part: string): Promise<string[]> {
  if (!/[*?[]/.test(part)) return [posix.join(directory, part)];
  const found = await follow(files, directory || '.');
  if (found?.kind !== 'directory') return [];
  const { items, truncated } = await files.list(found.path);
  if (truncated)
    throw new SandboxError(
      'too_large',
      `expected at most ${items.length} entries to match ${JSON.stringify(part)} with, found more in ${JSON.stringify(directory)}`,
    );
  return items
    .map(({ path }) => posix.basename(path))
    .filter((name) => posix.matchesGlob(name, part) && (part.startsWith('.') || !name.startsWith('.')))
    .map((name) => posix.join(directory, name));
}
