/** What a path is, and what a directory holds. */
import type { Stats } from 'node:fs';
import { lstat, opendir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { toIsoTime } from '@omnigent/protocol';
import type { DirectoryList, FileStat } from '@omnigent/protocol';
import { openPath } from './opened-path.ts';
import type { FileScope } from './opened-path.ts';

/** A directory with more entries is told in part. */
const MAX_ENTRIES = 10_000;

/** Describes the path itself: a symbolic link is not followed. */
export async function statFile(scope: FileScope, path: string): Promise<FileStat> {
  await using opened = await openPath(scope, path, { follow: false });
  return await describe(opened.realPath, opened.realPath, await opened.handle.stat());
}

/** Entries in the order of their names. */
export async function listDirectory(scope: FileScope, path: string): Promise<DirectoryList> {
  await using opened = await openPath(scope, path, { follow: true, directory: true });
  const items: FileStat[] = [];
  for await (const { name } of await opendir(opened.viaDescriptor)) {
    if (items.length === MAX_ENTRIES) return { path: opened.realPath, items: sort(items), truncated: true };
    const entry = `${opened.viaDescriptor}/${name}`;
    const stats = await lstat(entry).catch(() => undefined);
    // An entry may go while the directory is read.
    if (stats !== undefined) items.push(await describe(join(opened.realPath, name), entry, stats));
  }
  return { path: opened.realPath, items: sort(items), truncated: false };
}

function sort(items: FileStat[]): FileStat[] {
  return items.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

async function describe(path: string, entry: string, stats: Stats): Promise<FileStat> {
  return {
    path,
    kind: toKind(stats),
    size: stats.size,
    mode: stats.mode & 0o7777,
    modified_at: toIsoTime(Math.trunc(stats.mtimeMs)),
    target: stats.isSymbolicLink() ? await readlink(entry).catch(() => null) : null,
  };
}

function toKind(stats: Stats): FileStat['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
}
