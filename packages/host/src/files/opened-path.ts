/**
 * Paths are opened before they are judged: the kernel says where a descriptor leads, and everything after goes through that descriptor,
 * so that a link exchanged in between changes nothing. Opening with O_PATH touches no device and waits for no fifo.
 */
import { constants } from 'node:fs';
import { open, readlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, resolve, sep } from 'node:path';
import { SandboxError } from '@omnigent/protocol';

/** Linux's flag, which Node.js does not name. */
const O_PATH = 0o10000000;

/** Where relative paths start, and what no caller sees. */
export interface FileScope {
  readonly workspace: () => string;
  /** Real path of the host's own state. */
  readonly hostState: () => Promise<string>;
}

/** A descriptor that stands for a path. */
export interface OpenedPath extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Where the kernel says that it leads. */
  readonly realPath: string;
  /** A path that reaches the same file whatever happens to its names. */
  readonly viaDescriptor: string;
}

/** The last name of a path, in the opened directory that holds it. */
export interface OpenedParent extends AsyncDisposable {
  readonly directory: OpenedPath;
  readonly name: string;
  /** The name, reached through the directory's descriptor. */
  readonly entry: string;
}

/** Absolute form of a caller's path. */
export function toAbsolute(scope: FileScope, path: string): string {
  return resolve(scope.workspace(), path);
}

/** @throws SandboxError `path_forbidden` below `/proc`, which shows the host's own environment, and for the host's state. */
export async function openPath(
  scope: FileScope,
  path: string,
  options: { readonly follow: boolean; readonly directory?: boolean },
): Promise<OpenedPath> {
  const flags =
    O_PATH |
    (options.follow ? 0 : constants.O_NOFOLLOW) |
    (options.directory === true ? constants.O_DIRECTORY : 0);
  const handle = await open(toAbsolute(scope, path), flags);
  try {
    const viaDescriptor = `/proc/self/fd/${handle.fd}`;
    const realPath = await readlink(viaDescriptor);
    await checkAllowed(scope, realPath, path);
    return { handle, realPath, viaDescriptor, [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens the directory of a path; the last name is not followed and need not exist. */
export async function openParent(scope: FileScope, path: string): Promise<OpenedParent> {
  const absolute = toAbsolute(scope, path);
  const name = basename(absolute);
  if (name === '') throw new SandboxError('path_forbidden', 'expected a path below /, found /');
  const directory = await openPath(scope, dirname(absolute), { follow: true, directory: true });
  try {
    await checkAllowed(scope, `${directory.realPath === sep ? '' : directory.realPath}/${name}`, path);
  } catch (error) {
    await directory.handle.close();
    throw error;
  }
  return {
    directory,
    name,
    entry: `${directory.viaDescriptor}/${name}`,
    [Symbol.asyncDispose]: () => directory.handle.close(),
  };
}

/** Whether a real path is a directory or below it. */
export function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** Directories that file calls do not reach. */
export async function listForbidden(scope: FileScope): Promise<readonly string[]> {
  return ['/proc', await scope.hostState()];
}

async function checkAllowed(scope: FileScope, realPath: string, path: string): Promise<void> {
  const forbidden = (await listForbidden(scope)).find((directory) => isWithin(directory, realPath));
  if (forbidden === undefined) return;
  throw new SandboxError(
    'path_forbidden',
    `${JSON.stringify(path)} leads to ${forbidden}, which file calls do not reach`,
    { details: { path } },
  );
}
