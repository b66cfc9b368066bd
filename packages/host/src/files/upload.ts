/**
 * A file that comes in parts. They are kept beside its place under the upload's name, from the beginning on and without gaps, so that
 * whoever was interrupted goes on where the file ends; the file appears with its last part.
 */
import { constants } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SandboxError } from '@omnigent/protocol';
import type { FileStat } from '@omnigent/protocol';
import type { Exchange } from '../api/exchange.ts';
import { statFile } from './describe-file.ts';
import type { FileScope } from './opened-path.ts';
import { checkWhole, finishFile, followLink, openTarget, receive } from './write-file.ts';
import type { WriteFileOptions } from './write-file.ts';

export interface UploadOptions extends WriteFileOptions {
  readonly upload: string;
  /** Where in the file the body begins. */
  readonly offset: number;
  /** Of the whole file, in bytes. */
  readonly size: number;
}

const toPartName = (upload: string) => `.omnigent-upload-${upload}`;

/** Takes a part; what has come stays when it is cut. `partial` until the file is whole. */
export async function writePart(
  exchange: Exchange,
  scope: FileScope,
  options: UploadOptions,
): Promise<'partial' | 'created' | 'replaced'> {
  await using target = await openTarget(scope, options);
  const part = `${target.parent.directory.viaDescriptor}/${toPartName(options.upload)}`;
  await using handle = await open(part, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  const { size: before } = await handle.stat();
  if (options.offset > before)
    throw new SandboxError(
      'file_conflict',
      `expected a part that begins at ${before} or before, found one at ${options.offset}`,
      { details: { size: before } },
    );
  const end = options.offset + (await receive(exchange, handle, options.offset));
  checkWhole(exchange);
  if (end > options.size)
    throw new SandboxError('invalid_request', `expected ${options.size} bytes in all, found ${end}`);
  if (end < options.size) return 'partial';
  await handle.truncate(options.size);
  await finishFile(handle, target);
  await rename(part, target.parent.entry);
  return target.isNew ? 'created' : 'replaced';
}

/** What has come of an upload. @throws SandboxError `file_not_found` when nothing has. */
export async function statUpload(
  scope: FileScope,
  { path, upload }: { readonly path: string; readonly upload: string },
): Promise<FileStat> {
  return await statFile(scope, join(dirname(await followLink(scope, path)), toPartName(upload)));
}
