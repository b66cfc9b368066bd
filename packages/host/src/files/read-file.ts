/** Sends the bytes of a file or a range of them, with a tag that changes with the file. */
import { constants } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { SandboxError } from '@omnigent/protocol';
import type { Exchange } from '../api/exchange.ts';
import { parseByteRange } from './byte-range.ts';
import type { ByteRange } from './byte-range.ts';
import { openPath } from './opened-path.ts';
import type { FileScope } from './opened-path.ts';

const CHUNK_BYTES = 256 * 1024;

/** Answers with 200 or 206; `If-Match` makes sure that a read that goes on is of the same file. */
export async function sendFile(exchange: Exchange, scope: FileScope, path: string): Promise<void> {
  await using opened = await openPath(scope, path, { follow: true });
  const stats = await opened.handle.stat({ bigint: true });
  if (!stats.isFile())
    throw new SandboxError(
      'file_conflict',
      `expected a regular file, found ${stats.isDirectory() ? 'a directory' : 'a special file'}: ${JSON.stringify(path)}`,
    );
  await using handle = await open(opened.viaDescriptor, constants.O_RDONLY | constants.O_NONBLOCK);
  const size = Number(stats.size);
  const etag = toEtag(stats);
  checkUnchanged(exchange.headers['if-match'], etag, path);
  const range = parseByteRange(exchange.headers.range, size);
  if (range === 'outside')
    throw new SandboxError(
      'range_outside',
      `expected a range within ${size} bytes, found ${exchange.headers.range}`,
    );
  const { start, end } = range === 'whole' ? { start: 0, end: size } : range;
  await exchange.send(
    range === 'whole' ? 200 : 206,
    {
      'content-type': 'application/octet-stream',
      'content-length': String(end - start),
      'accept-ranges': 'bytes',
      etag,
      ...(range === 'whole' ? {} : { 'content-range': `bytes ${start}-${end - 1}/${size}` }),
    },
    readRange(handle, { start, end }),
  );
}

function toEtag({ ino, size, mtimeNs }: BigIntStats): string {
  return `"${ino.toString(36)}-${size.toString(36)}-${mtimeNs.toString(36)}"`;
}

function checkUnchanged(wanted: string | undefined, etag: string, path: string): void {
  if (wanted === undefined || wanted === '*' || wanted === etag) return;
  throw new SandboxError('file_changed', `expected ${JSON.stringify(path)} to be ${wanted}, found ${etag}`);
}

async function* readRange(handle: FileHandle, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  for (let position = start; position < end; ) {
    const length = Math.min(CHUNK_BYTES, end - position);
    // A fresh buffer each time: what was sent may still wait for the reader.
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, position);
    if (bytesRead === 0) throw new SandboxError('file_changed', `the file became shorter than ${end} bytes`);
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
