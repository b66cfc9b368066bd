/** Trees of the sandbox as tar streams, out and in. */
import * as fileSystem from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError, packTree, unpackTree } from '@omnigent/protocol';
import type { Exchange } from '../api/exchange.ts';
import { createDirectory } from './change-tree.ts';
import { toFileFault } from './file-fault.ts';
import { isWithin, listForbidden, openParent, openPath, toAbsolute } from './opened-path.ts';
import type { FileScope, OpenedParent, OpenedPath } from './opened-path.ts';

/** Sends a directory with all below it, or one file or link. What file calls do not reach is left out. */
export async function sendArchive(
  exchange: Exchange,
  scope: FileScope,
  options: { readonly path: string; readonly follow: boolean },
): Promise<void> {
  await using opened = await openPath(scope, options.path, { follow: options.follow });
  const stats = await opened.handle.stat();
  if (!stats.isDirectory() && !stats.isFile() && !stats.isSymbolicLink())
    throw new SandboxError(
      'file_conflict',
      `expected a directory, file or link, found a special file: ${JSON.stringify(options.path)}`,
    );
  await using parent = stats.isDirectory() ? undefined : await openParent(scope, opened.realPath);
  const forbidden = await listForbidden(scope);
  const chunks = packTree({
    fileSystem,
    ...toRoot(opened, parent),
    isSkipped: (path) => forbidden.some((directory) => isWithin(directory, join(opened.realPath, path))),
    toFault: (path, error) => toFileFault(join(options.path, path), error),
  });
  await exchange.send(200, { 'content-type': 'application/x-tar' }, chunks);
}

function toRoot(opened: OpenedPath, parent: OpenedParent | undefined): { root: string; name: string } {
  // The descriptor's own path is a link; its dot is the directory.
  if (parent === undefined) return { root: `${opened.viaDescriptor}/.`, name: '.' };
  return { root: parent.entry, name: parent.name };
}

/** Unpacks the body in a directory. Entries come one by one: those before a fault are there. */
export async function receiveArchive(
  exchange: Exchange,
  scope: FileScope,
  options: { readonly path: string; readonly parents: boolean },
): Promise<void> {
  const isNew = options.parents && (await isMissing(toAbsolute(scope, options.path)));
  if (options.parents) await createDirectory(scope, { path: options.path, mode: undefined });
  await using opened = await openPath(scope, options.path, { follow: true, directory: true });
  const forbidden = await listForbidden(scope);
  // Leaving the loop must not end the stream: the refusal is still to be sent on it.
  const chunks = exchange.stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  await unpackTree(chunks, {
    fileSystem,
    root: `${opened.viaDescriptor}/.`,
    isRootOfArchive: isNew,
    isForbidden: (path) => forbidden.some((directory) => isWithin(directory, join(opened.realPath, path))),
    toFault: (path, error) => toFileFault(join(options.path, path), error),
    randomName: () => crypto.randomUUID(),
  });
}

function isMissing(absolute: string): Promise<boolean> {
  return fileSystem.lstat(absolute).then(
    () => false,
    () => true,
  );
}
