/** Where a file has bytes: the map before the bytes of a sparse file, in GNU's format 1.0 within pax. Pure. */
import { SandboxError } from '../errors.ts';
import type { Segment } from './entry.ts';
import { BLOCK_BYTES } from './tar-header.ts';

/** A map of more segments is refused: each costs memory. */
export const MAX_SEGMENTS = 1_000_000;

const encoder = new TextEncoder();

/** Numbers in lines: how many segments, then offset and size of each; filled up to whole blocks. */
export function encodeSparseMap(segments: readonly Segment[]): Uint8Array {
  const numbers = [segments.length, ...segments.flatMap(({ offset, size }) => [offset, size])];
  const text = encoder.encode(numbers.map((number) => `${number}\n`).join(''));
  const blocks = new Uint8Array(Math.ceil(text.length / BLOCK_BYTES) * BLOCK_BYTES);
  blocks.set(text);
  return blocks;
}

/** Reads numbers by `readNumber` until the map is whole. @throws SandboxError `archive_invalid`. */
export async function readSparseMap(
  readNumber: () => Promise<number>,
  fileSize: number,
): Promise<readonly Segment[]> {
  const count = await readNumber();
  if (!(count <= MAX_SEGMENTS)) throw refuse(`at most ${MAX_SEGMENTS} segments`);
  const segments: Segment[] = [];
  let position = 0;
  for (let index = 0; index < count; index += 1) {
    const segment = { offset: await readNumber(), size: await readNumber() };
    if (!(segment.offset >= position && segment.size >= 0 && segment.offset + segment.size <= fileSize))
      throw refuse('segments in order and within the file');
    position = segment.offset + segment.size;
    segments.push(segment);
  }
  return segments;
}

function refuse(expected: string): SandboxError {
  return new SandboxError('archive_invalid', `expected a map with ${expected}, found another`);
}

/** Collects what is not zero while a file is read from its beginning. */
export class SegmentFinder {
  readonly #segments: { offset: number; size: number }[] = [];

  /** Takes the next `bytes`, which are at `offset`; looks at whole units of `unit` bytes. */
  add(offset: number, bytes: Uint8Array, unit: number): void {
    for (let at = 0; at < bytes.length; at += unit) {
      const part = bytes.subarray(at, at + unit);
      if (isZero(part)) continue;
      const last = this.#segments.at(-1);
      if (last !== undefined && last.offset + last.size === offset + at) last.size += part.length;
      else this.#segments.push({ offset: offset + at, size: part.length });
    }
  }

  get segments(): readonly Segment[] {
    return this.#segments;
  }
}

function isZero(bytes: Uint8Array): boolean {
  const isAligned = bytes.byteOffset % 4 === 0;
  const words = isAligned ? Math.floor(bytes.length / 4) : 0;
  const view = new Uint32Array(bytes.buffer, isAligned ? bytes.byteOffset : 0, words);
  for (let index = 0; index < words; index += 1) if (view[index] !== 0) return false;
  for (let index = words * 4; index < bytes.length; index += 1) if (bytes[index] !== 0) return false;
  return true;
}
