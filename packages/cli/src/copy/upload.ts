/** From this machine into a sandbox. A single file goes on where an earlier copy broke off. */
import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import * as fileSystem from 'node:fs/promises';
import { lstat, open, realpath, stat } from 'node:fs/promises';
import { basename, join, posix, resolve } from 'node:path';
import type { SandboxFiles } from '@omnigent/client';
import { SandboxError, packTree } from '@omnigent/protocol';
import { CopyProgress } from './copy-progress.ts';
import type { CopyContext, OneCopy } from './copy-context.ts';
import { toLocalFault, withLocalFaults } from './local-fault.ts';
import { isContents, isFollowed, nameTarget } from './name-target.ts';
import type { TargetKind } from './name-target.ts';
import { follow } from './remote-paths.ts';

const READ_BYTES = 256 * 1024;

/** Copies paths of this machine. */
export async function copyIn(
  { files, target }: { readonly files: SandboxFiles; readonly target: string },
  sources: readonly string[],
  context: CopyContext,
): Promise<void> {
  const found = await follow(files, target);
  const targetKind: TargetKind =
    found === undefined ? 'missing' : found.kind === 'directory' ? 'directory' : 'file';
  const mustBeDirectory = sources.length > 1 || target.endsWith('/');
  if (mustBeDirectory && targetKind !== 'directory')
    throw new SandboxError(
      'file_conflict',
      `expected a directory in the sandbox, found ${targetKind === 'file' ? 'a file' : 'nothing'}: ${JSON.stringify(target)}`,
    );
  for (const source of sources) {
    const stats = await withLocalFaults(source, () => lookAtSource(source, context));
    const copy = {
      source,
      target: nameTarget({ source: toNamed(source), target, targetKind, mustBeDirectory }),
      context,
    };
    if (stats.isFile()) await copyFile(files, { ...copy, stats });
    else if (stats.isDirectory()) await copyTree(files, copy);
    else if (stats.isSymbolicLink()) await copyLink(files, copy);
    else
      throw new SandboxError(
        'local_file',
        `expected a file, directory or link, found a special file: ${JSON.stringify(source)}`,
      );
  }
}

/** What the name of a source is, also when it was written with backslashes or a slash at its end. */
function toNamed(source: string): string {
  return isContents(source) ? source : basename(resolve(source));
}

async function lookAtSource(source: string, { followsLinks }: CopyContext): Promise<BigIntStats> {
  return await (isFollowed(source, followsLinks) ? stat : lstat)(source, { bigint: true });
}

async function copyTree(files: SandboxFiles, { source, target, context }: OneCopy): Promise<void> {
  const progress = new CopyProgress(context, basename(resolve(source)), undefined);
  const chunks = pack(await withLocalFaults(source, () => realpath(source)), '.');
  await files.extract(target, progress.count(chunks), { parents: true, signal: context.signal });
}

async function copyLink(files: SandboxFiles, { source, target, context }: OneCopy): Promise<void> {
  const chunks = pack(resolve(source), posix.basename(target));
  await files.extract(posix.dirname(target), chunks, { parents: true, signal: context.signal });
}

function pack(root: string, name: string): AsyncGenerator<Uint8Array> {
  return packTree({
    fileSystem,
    root,
    name,
    toFault: (path, error) => toLocalFault(join(root, path), error),
  });
}

async function copyFile(files: SandboxFiles, copy: OneCopy & { readonly stats: BigIntStats }): Promise<void> {
  const { source, target, context, stats } = copy;
  const size = Number(stats.size);
  const progress = new CopyProgress(context, basename(source), size);
  await files.upload(
    target,
    { size, read: (offset) => readFrom(source, { offset, size }) },
    {
      upload: toUploadName(copy),
      mode: Number(stats.mode & 0o777n),
      modifiedAt: new Date(Number(stats.mtimeMs)),
      parents: true,
      onProgress: (bytes) => progress.reach(bytes),
      signal: context.signal,
    },
  );
}

/** The same for the same version of the same file to the same place. */
function toUploadName({ source, target, context, stats }: OneCopy & { readonly stats: BigIntStats }): string {
  const { dev, ino, size, mtimeNs } = stats;
  const facts = [context.sandboxId, target, resolve(source), ...[dev, ino, size, mtimeNs].map(String)];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
}

async function* readFrom(
  path: string,
  { offset, size }: { readonly offset: number; readonly size: number },
): AsyncGenerator<Uint8Array> {
  await using file = await withLocalFaults(path, () => open(path));
  for (let position = offset; position < size; ) {
    const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, size - position));
    const at = position;
    const { bytesRead } = await withLocalFaults(path, () => file.read(buffer, 0, buffer.length, at));
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
