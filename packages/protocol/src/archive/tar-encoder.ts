/** Entries as blocks of a tar stream: ustar, with pax records for what does not fit into it. Pure. */
import type { Problem } from '../problem.ts';
import type { ArchiveEntry } from './entry.ts';
import { countStoredBytes } from './entry.ts';
import { encodePaxRecords } from './pax-records.ts';
import { encodeSparseMap } from './sparse-map.ts';
import { BLOCK_BYTES, MAX_OCTAL, encodeTarHeader } from './tar-header.ts';

/** The record by which a writer says why the archive ends before its end. */
export const ERROR_RECORD = 'OMNIGENT.error';

/** Two blocks of zeros end an archive. */
export const END_OF_ARCHIVE = new Uint8Array(2 * BLOCK_BYTES);

const TYPES = { file: '0', hardlink: '1', symlink: '2', directory: '5' } as const;

/** What comes before the bytes of an entry. */
export function encodeEntry(entry: ArchiveEntry): Uint8Array {
  const name = entry.kind === 'directory' ? `${entry.path}/` : entry.path;
  const map = entry.segments === undefined ? new Uint8Array() : encodeSparseMap(entry.segments);
  const stored = entry.segments === undefined ? entry.size : countStoredBytes(entry.segments);
  const size = map.length + stored;
  const header = {
    name: entry.segments === undefined ? name : 'GNUSparseFile.0/file',
    mode: entry.mode,
    size,
    modifiedAt: entry.modifiedAt,
    type: TYPES[entry.kind],
    target: entry.target,
  };
  const sparse =
    entry.segments === undefined
      ? {}
      : {
          'GNU.sparse.major': '1',
          'GNU.sparse.minor': '0',
          'GNU.sparse.name': name,
          'GNU.sparse.realsize': String(entry.size),
        };
  const records = {
    ...sparse,
    ...(isField(header.name) ? {} : { path: header.name }),
    ...(isField(entry.target) ? {} : { linkpath: entry.target }),
    ...(size > MAX_OCTAL ? { size: String(size) } : {}),
    ...(entry.modifiedAt < 0 || entry.modifiedAt > MAX_OCTAL ? { mtime: String(entry.modifiedAt) } : {}),
  };
  return concatenate([encodeRecords('x', records), encodeTarHeader(header), map]);
}

/** The end of an archive whose writer failed: readers learn why. */
export function encodeFailure(problem: Problem): Uint8Array {
  return encodeRecords('g', { [ERROR_RECORD]: JSON.stringify(problem) });
}

/** What fills the last block of an entry's bytes. */
export function padding(size: number): Uint8Array {
  return new Uint8Array((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES);
}

function isField(text: string): boolean {
  // Only ASCII means the same to all readers.
  return /^[\u0001-\u007f]*$/.test(text) && text.length <= 100;
}

function encodeRecords(type: 'x' | 'g', records: Readonly<Record<string, string>>): Uint8Array {
  const body = encodePaxRecords(records);
  if (body.length === 0) return body;
  const header = encodeTarHeader({
    name: 'PaxHeaders/0',
    mode: 0o644,
    size: body.length,
    modifiedAt: 0,
    type,
    target: '',
  });
  return concatenate([header, body, padding(body.length)]);
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
