/** From a header and the records before it to an entry, or the refusal of one. Pure. */
import { SandboxError } from '../errors.ts';
import type { ArchiveEntry } from './entry.ts';
import type { TarHeader } from './tar-header.ts';

const KINDS: Readonly<Record<string, ArchiveEntry['kind']>> = {
  '0': 'file',
  '7': 'file',
  '1': 'hardlink',
  '2': 'symlink',
  '5': 'directory',
};

/** Devices and fifos: there in many archives, and nothing that a sandbox user may make. */
const SKIPPED = new Set(['3', '4', '6', 'V']);

/** An entry and how many bytes of the stream belong to it. */
export interface BuiltEntry {
  readonly entry: ArchiveEntry;
  readonly storedBytes: number;
  /** Whether those bytes begin with the map of a sparse file. */
  readonly hasMap: boolean;
}

/** How many bytes come after a header. */
export function countBytesAfter(header: TarHeader, records: ReadonlyMap<string, string>): number {
  const isLink = header.type === '1' || header.type === '2';
  return isLink || header.type === '5' ? 0 : readNumber(records, 'size', header.size);
}

/** Undefined for what is passed over. @throws SandboxError `archive_invalid` for what is not understood. */
export function buildEntry(header: TarHeader, records: ReadonlyMap<string, string>): BuiltEntry | undefined {
  if (SKIPPED.has(header.type)) return undefined;
  const name = records.get('GNU.sparse.name') ?? records.get('path') ?? header.name;
  const kind = header.type === '0' && name.endsWith('/') ? 'directory' : KINDS[header.type];
  if (kind === undefined) throw refuseType(header.type, name);
  const hasMap = checkSparse(records, name);
  const storedBytes = countBytesAfter(header, records);
  const target = records.get('linkpath') ?? header.target;
  const size = hasMap ? readNumber(records, 'GNU.sparse.realsize', storedBytes) : storedBytes;
  const entry = {
    path: toEntryPath(name),
    kind,
    mode: header.mode & 0o777,
    modifiedAt: Math.floor(Number(records.get('mtime') ?? header.modifiedAt)) || 0,
    size: kind === 'file' ? size : 0,
    target: kind === 'hardlink' ? toEntryPath(target) : target,
  };
  return { entry, storedBytes, hasMap };
}

/** Names without `.`, empty parts and trailing slashes. @throws SandboxError `archive_invalid` for what leads out. */
export function toEntryPath(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.startsWith('/') || parts.includes('..') || name.includes('\0'))
    throw new SandboxError(
      'archive_invalid',
      `expected paths below the directory it is unpacked in, found ${JSON.stringify(name)}`,
    );
  return parts.join('/') || '.';
}

function checkSparse(records: ReadonlyMap<string, string>, name: string): boolean {
  const isSparse = [...records.keys()].some((key) => key.startsWith('GNU.sparse.'));
  if (!isSparse) return false;
  const version = `${records.get('GNU.sparse.major')}.${records.get('GNU.sparse.minor')}`;
  if (version === '1.0') return true;
  throw new SandboxError(
    'archive_invalid',
    `expected sparse files in format 1.0, found another for ${JSON.stringify(name)}; write it with: tar --sparse-version=1.0`,
  );
}

function refuseType(type: string, name: string): SandboxError {
  const advice = type === 'S' ? '; write sparse files with: tar --format=pax' : '';
  return new SandboxError(
    'archive_invalid',
    `expected files, directories and links, found an entry of type ${JSON.stringify(type)}: ${JSON.stringify(name)}${advice}`,
  );
}

function readNumber(records: ReadonlyMap<string, string>, name: string, fallback: number): number {
  const text = records.get(name);
  if (text === undefined) return fallback;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new SandboxError('archive_invalid', `expected a number as ${name}, found ${JSON.stringify(text)}`);
}
