/** From a sandbox to this machine. A single file appears whole, and goes on where an earlier copy broke off. */
import { createHash, randomUUID } from 'node:crypto';
import * as fileSystem from 'node:fs/promises';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { SandboxFiles } from '@omnigent/client';
import { SandboxError, unpackTree } from '@omnigent/protocol';
import type { FileStat } from '@omnigent/protocol';
import { CopyProgress } from './copy-progress.ts';
import type { CopyContext, OneCopy } from './copy-context.ts';
import { toLocalFault, withLocalFaults } from './local-fault.ts';
import { isFollowed, nameTarget } from './name-target.ts';
import type { TargetKind } from './name-target.ts';
import { expandPattern, follow, lookAt } from './remote-paths.ts';

/** Copies what the sources name, patterns included. */
export async function copyOut(
  { files, sources }: { readonly files: SandboxFiles; readonly sources: readonly string[] },
  target: string,
  context: CopyContext,
): Promise<void> {
  const expanded = (await Promise.all(sources.map((source) => expandPattern(files, source)))).flat();
  const targetKind = await lookAtTarget(target);
  const mustBeDirectory = expanded.length > 1 || target.endsWith('/');
  if (mustBeDirectory && targetKind !== 'directory')
    throw new SandboxError(
      'local_file',
      `expected a directory, found ${targetKind === 'file' ? 'a file' : 'nothing'}: ${JSON.stringify(target)}`,
    );
  for (const source of expanded)
    await copyOne(files, {
      source,
      target: nameTarget({ source, target, targetKind, mustBeDirectory }),
      context,
    });
}

async function lookAtTarget(path: string): Promise<TargetKind> {
  try {
    return (await stat(path)).isDirectory() ? 'directory' : 'file';
  } catch {
    return 'missing';
  }
}

async function copyOne(files: SandboxFiles, copy: OneCopy): Promise<void> {
  const { source, target, context } = copy;
  const look = isFollowed(source, context.followsLinks) ? follow : lookAt;
  const found = await look(files, source);
  if (found === undefined)
    throw new SandboxError('file_not_found', `there is no ${JSON.stringify(source)} in the sandbox`);
  await withLocalFaults(target, () => mkdir(dirname(target), { recursive: true }));
  if (found.kind === 'file') await copyFile(files, found, copy);
  else await copyTree(files, found, copy);
}

async function copyTree(files: SandboxFiles, found: FileStat, { target, context }: OneCopy): Promise<void> {
  const isTree = found.kind === 'directory';
  const isNew = isTree && (await lookAtTarget(target)) === 'missing';
  if (isNew) await withLocalFaults(target, () => mkdir(target));
  const progress = new CopyProgress(context, basename(found.path), undefined);
  const chunks = files.archive(found.path, { signal: context.signal });
  const root = isTree ? target : dirname(target);
  await unpackTree(progress.count(chunks), {
    fileSystem,
    root,
    isRootOfArchive: isNew,
    // A link comes under its own name.
    ...(isTree ? {} : { rename: () => basename(target) }),
    toFault: (path, error) => toLocalFault(join(root, path), error),
    randomName: () => randomUUID(),
  });
}

async function copyFile(files: SandboxFiles, found: FileStat, { target, context }: OneCopy): Promise<void> {
  const probe = new AbortController();
  const signal = AbortSignal.any([probe.signal, context.signal]);
  let download = await files.open(found.path, { signal });
  const part = `${dirname(target)}/.${basename(target)}.omnigent-part-${toPartName(context, found.path, download.etag)}`;
  const offset = await sizeOf(part, download.size);
  const { etag, size } = download;
  if (offset > 0) {
    probe.abort();
    download = { etag, size, chunks: noChunks() };
    if (offset < size) download = await files.open(found.path, { offset, etag, signal: context.signal });
  }
  const progress = new CopyProgress(context, basename(found.path), size);
  await writePart(part, { chunks: download.chunks, offset, progress });
  await withLocalFaults(target, async () => {
    await using file = await open(part, 'r+');
    await file.chmod(found.mode & 0o777);
    const modifiedAt = new Date(found.modified_at);
    await file.utimes(modifiedAt, modifiedAt);
    await rename(part, target);
  }).catch(async (error: unknown) => {
    await rm(part, { force: true });
    throw error;
  });
}

/** The same for the same version of the same file. */
function toPartName({ sandboxId }: CopyContext, path: string, etag: string): string {
  return createHash('sha256')
    .update(JSON.stringify([sandboxId, path, etag]))
    .digest('hex')
    .slice(0, 16);
}

async function sizeOf(path: string, most: number): Promise<number> {
  const size = await stat(path).then(
    (stats) => stats.size,
    () => 0,
  );
  return size <= most ? size : 0;
}

async function* noChunks(): AsyncGenerator<Uint8Array> {
  // All of it is there already.
}

async function writePart(
  part: string,
  { chunks, offset, progress }: { chunks: AsyncIterable<Uint8Array>; offset: number; progress: CopyProgress },
): Promise<void> {
  await using file = await withLocalFaults(part, () => open(part, offset === 0 ? 'w' : 'r+', 0o600));
  let position = offset;
  for await (const chunk of chunks) {
    for (let written = 0; written < chunk.length; ) {
      const at = { written, position };
      const { bytesWritten } = await withLocalFaults(part, () =>
        file.write(chunk, at.written, chunk.length - at.written, at.position),
      );
      written += bytesWritten;
      position += bytesWritten;
    }
    progress.reach(position);
  }
}
