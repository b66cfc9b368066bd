/** A file appears whole or not at all: written beside its place, made durable, then renamed. */
import { constants } from 'node:fs';
import { lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SandboxError } from '@omnigent/protocol';
import type { Exchange } from '../api/exchange.ts';
import { createDirectory } from './change-tree.ts';
import { openParent, toAbsolute } from './opened-path.ts';
import type { FileScope, OpenedParent } from './opened-path.ts';

export interface WriteFileOptions {
  readonly path: string;
  /** Permission bits; by default those of the file that is there, or what the umask leaves. */
  readonly mode: number | undefined;
  readonly modifiedAt: Date | undefined;
  readonly parents: boolean;
}

/** Where a file is to appear. */
export interface WriteTarget extends AsyncDisposable {
  readonly parent: OpenedParent;
  readonly isNew: boolean;
  readonly mode: number;
  readonly modifiedAt: Date | undefined;
}

/** Writes the body; whether the file is new. A link that is there is followed. */
export async function writeFile(
  exchange: Exchange,
  scope: FileScope,
  options: WriteFileOptions,
): Promise<boolean> {
  await using target = await openTarget(scope, options);
  await writeBeside(exchange, target);
  return target.isNew;
}

/** Opens the directory of a file that is to be written. @throws SandboxError `file_conflict` where something else is. */
export async function openTarget(scope: FileScope, options: WriteFileOptions): Promise<WriteTarget> {
  if (options.parents)
    await createDirectory(scope, { path: dirname(toAbsolute(scope, options.path)), mode: undefined });
  const parent = await openParent(scope, await followLink(scope, options.path));
  const present = await stat(parent.entry).catch(() => undefined);
  if (present !== undefined && !present.isFile()) {
    await parent.directory.handle.close();
    throw new SandboxError(
      'file_conflict',
      `expected a regular file or nothing, found something else: ${JSON.stringify(options.path)}`,
    );
  }
  return {
    parent,
    isNew: present === undefined,
    mode: options.mode ?? (present === undefined ? 0o666 & ~process.umask() : present.mode & 0o777),
    modifiedAt: options.modifiedAt,
    [Symbol.asyncDispose]: () => parent.directory.handle.close(),
  };
}

/** Where a link leads, or the path itself. */
export async function followLink(scope: FileScope, path: string): Promise<string> {
  const absolute = toAbsolute(scope, path);
  const isLink = await lstat(absolute).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
  return isLink ? await realpath(absolute) : absolute;
}

async function writeBeside(exchange: Exchange, { parent, ...target }: WriteTarget): Promise<void> {
  const beside = `${parent.directory.viaDescriptor}/.omnigent-${crypto.randomUUID()}`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    await using handle = await open(beside, flags, 0o600);
    const size = await receive(exchange, handle, 0);
    checkLength(exchange, size);
    checkWhole(exchange);
    await finishFile(handle, target);
    await rename(beside, parent.entry);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** Gives a written file its mode and time, and makes it durable. */
export async function finishFile(
  handle: FileHandle,
  { mode, modifiedAt }: Pick<WriteTarget, 'mode' | 'modifiedAt'>,
): Promise<void> {
  await handle.chmod(mode);
  if (modifiedAt !== undefined) await handle.utimes(modifiedAt, modifiedAt);
  await handle.sync();
}

/** Writes the body from a position on; how many bytes came. */
export async function receive({ stream }: Exchange, handle: FileHandle, position: number): Promise<number> {
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    for (let offset = 0; offset < chunk.length; ) {
      const at = position + size + offset;
      offset += (await handle.write(chunk, offset, chunk.length - offset, at)).bytesWritten;
    }
    size += chunk.length;
  }
  return size;
}

function checkLength({ headers }: Exchange, size: number): void {
  const expected = headers['content-length'];
  if (expected === undefined || Number(expected) === size) return;
  throw new SandboxError('invalid_request', `expected ${expected} bytes, found ${size}`);
}

/** A stream that was reset ends like one that is complete; only its state tells them apart. */
export function checkWhole({ stream }: Exchange): void {
  if (!stream.aborted && !stream.closed && !stream.destroyed) return;
  throw new SandboxError('canceled', 'the body was cut before its end');
}
