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
  readonly parents: boolean;
}

/** Writes the body; whether the file is new. A link that is there is followed. */
export async function writeFile(
  exchange: Exchange,
  scope: FileScope,
  options: WriteFileOptions,
): Promise<boolean> {
  if (options.parents)
    await createDirectory(scope, { path: dirname(toAbsolute(scope, options.path)), mode: undefined });
  await using parent = await openParent(scope, await followLink(scope, options.path));
  const present = await stat(parent.entry).catch(() => undefined);
  if (present !== undefined && !present.isFile())
    throw new SandboxError(
      'file_conflict',
      `expected a regular file or nothing, found something else: ${JSON.stringify(options.path)}`,
    );
  const mode = options.mode ?? (present === undefined ? 0o666 & ~process.umask() : present.mode & 0o777);
  await writeBeside(exchange, parent, mode);
  return present === undefined;
}

/** Where a link leads, or the path itself. */
async function followLink(scope: FileScope, path: string): Promise<string> {
  const absolute = toAbsolute(scope, path);
  const isLink = await lstat(absolute).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
  return isLink ? await realpath(absolute) : absolute;
}

async function writeBeside(exchange: Exchange, parent: OpenedParent, mode: number): Promise<void> {
  const beside = `${parent.directory.viaDescriptor}/.omnigent-${crypto.randomUUID()}`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    await using handle = await open(beside, flags, 0o600);
    await receive(exchange, handle);
    await handle.chmod(mode);
    await handle.sync();
    checkWhole(exchange);
    await rename(beside, parent.entry);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

async function receive({ stream, headers }: Exchange, handle: FileHandle): Promise<void> {
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    for (let offset = 0; offset < chunk.length; ) offset += (await handle.write(chunk, offset)).bytesWritten;
    size += chunk.length;
  }
  const expected = headers['content-length'];
  if (expected !== undefined && Number(expected) !== size)
    throw new SandboxError('invalid_request', `expected ${expected} bytes, found ${size}`);
}

/** A stream that was reset ends like one that is complete; only its state tells them apart. */
function checkWhole({ stream }: Exchange): void {
  if (!stream.aborted && !stream.closed && !stream.destroyed) return;
  throw new SandboxError('canceled', 'the body was cut before its end');
}
