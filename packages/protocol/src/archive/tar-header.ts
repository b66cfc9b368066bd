/** A header block of the POSIX.1-1988 ustar format, with GNU's binary numbers when reading. Pure. */
import { SandboxError } from '../errors.ts';

export const BLOCK_BYTES = 512;

/** Fields of a header as they are in the block. */
export interface TarHeader {
  readonly name: string;
  readonly mode: number;
  readonly size: number;
  readonly modifiedAt: number;
  /** `0` file, `1` hard link, `2` symbolic link, `5` directory, `x` and `g` records, `L` and `K` long names of GNU. */
  readonly type: string;
  readonly target: string;
}

const CHECKSUM_AT = 148;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The largest number that eleven octal digits hold. */
export const MAX_OCTAL = 0o77777777777;

/** Writes a header. Names longer than their field are cut: their whole text belongs into records before it. */
export function encodeTarHeader(header: TarHeader): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  const put = (offset: number, bytes: Uint8Array) => block.set(bytes, offset);
  const putOctal = (offset: number, length: number, value: number) =>
    put(offset, encoder.encode(value.toString(8).padStart(length - 1, '0')));
  put(0, encoder.encode(header.name).subarray(0, 100));
  putOctal(100, 8, header.mode);
  putOctal(108, 8, 0);
  putOctal(116, 8, 0);
  putOctal(124, 12, Math.min(header.size, MAX_OCTAL));
  putOctal(136, 12, Math.min(Math.max(header.modifiedAt, 0), MAX_OCTAL));
  put(156, encoder.encode(header.type));
  put(157, encoder.encode(header.target).subarray(0, 100));
  put(257, encoder.encode('ustar\u000000'));
  put(CHECKSUM_AT, encoder.encode(`${sum(block).toString(8).padStart(6, '0')}\0 `));
  return block;
}

/** Reads a header; undefined for a block of zeros, which ends an archive. @throws SandboxError `archive_invalid`. */
export function decodeTarHeader(block: Uint8Array): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  if (readNumber(block, CHECKSUM_AT, 8) !== sum(block))
    throw new SandboxError(
      'archive_invalid',
      'expected a tar header, found a block whose checksum does not fit',
    );
  const isPosix = readText(block, 257, 6) === 'ustar';
  const prefix = isPosix ? readText(block, 345, 155) : '';
  const name = readText(block, 0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    mode: readNumber(block, 100, 8),
    size: readNumber(block, 124, 12),
    modifiedAt: readNumber(block, 136, 12),
    type: readText(block, 156, 1) || '0',
    target: readText(block, 157, 100),
  };
}

/** The sum of the bytes with the checksum's own taken as spaces. */
function sum(block: Uint8Array): number {
  let total = 8 * 32;
  for (let at = 0; at < BLOCK_BYTES; at += 1)
    if (at < CHECKSUM_AT || at >= CHECKSUM_AT + 8) total += block[at] ?? 0;
  return total;
}

function readText(block: Uint8Array, offset: number, length: number): string {
  const field = block.subarray(offset, offset + length);
  const end = field.indexOf(0);
  return decoder.decode(end === -1 ? field : field.subarray(0, end));
}

/** Octal digits, or GNU's big-endian binary marked by the first bit. */
function readNumber(block: Uint8Array, offset: number, length: number): number {
  const field = block.subarray(offset, offset + length);
  const first = field[0] ?? 0;
  const value =
    (first & 0x80) === 0
      ? readOctal(readText(block, offset, length).trim())
      : field.subarray(1).reduce((number, byte) => number * 256 + byte, first & 0x3f);
  if ((first & 0x40) !== 0 && (first & 0x80) !== 0) return 0; // a time before 1970
  if (Number.isSafeInteger(value)) return value;
  throw new SandboxError('archive_invalid', 'expected a number in a tar header, found something else');
}

function readOctal(digits: string): number {
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : Number.NaN;
}
