/** Reads a tar stream: ustar, pax and the long names of GNU tar, sparse files in GNU's format 1.0. */
import { SandboxError } from '../errors.ts';
import { fromProblem } from '../problem.ts';
import { ByteSource, cutShort } from './byte-source.ts';
import type { ArchiveEntry, Piece, Segment } from './entry.ts';
import { countStoredBytes } from './entry.ts';
import { buildEntry, countBytesAfter } from './entry-builder.ts';
import type { BuiltEntry } from './entry-builder.ts';
import { decodePaxRecords } from './pax-records.ts';
import { readSparseMap } from './sparse-map.ts';
import { ERROR_RECORD, padding } from './tar-encoder.ts';
import { BLOCK_BYTES, decodeTarHeader } from './tar-header.ts';
import type { TarHeader } from './tar-header.ts';

/** Records and long names are read into memory. */
const MAX_RECORDS_BYTES = 1024 * 1024;
const NEWLINE = 10;
const decoder = new TextDecoder();

/** An entry and its bytes, which are to be read before the next one; what is left is passed over. */
export interface ReadEntry {
  readonly entry: ArchiveEntry;
  readonly pieces: AsyncGenerator<Piece>;
}

/**
 * The entries of an archive in its order.
 *
 * @throws SandboxError `archive_invalid` for what is no tar or is cut short; what the writer failed by, when it could say so.
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReadEntry> {
  const source = new ByteSource(chunks);
  try {
    for (let records = new Map<string, string>(); ; ) {
      const header = decodeTarHeader(await source.take(BLOCK_BYTES));
      if (header === undefined) return await source.drain();
      if (await readRecords(source, header, records)) continue;
      const built = buildEntry(header, records);
      const size = built?.storedBytes ?? countBytesAfter(header, records);
      const body = new Body(source, size);
      if (built !== undefined) yield await toReadEntry(built, body);
      await body.finish();
      records = new Map();
    }
  } finally {
    await source.close();
  }
}

/** Whether the header was of records, which are added to those of the next entry. */
async function readRecords(
  source: ByteSource,
  { type, size }: TarHeader,
  records: Map<string, string>,
): Promise<boolean> {
  if (!['x', 'g', 'L', 'K'].includes(type)) return false;
  if (size > MAX_RECORDS_BYTES)
    throw new SandboxError('archive_invalid', `expected at most ${MAX_RECORDS_BYTES} bytes of records`);
  const bytes = await source.take(size);
  await source.skip(padding(size).length);
  if (type === 'L' || type === 'K')
    records.set(type === 'L' ? 'path' : 'linkpath', decoder.decode(bytes).replace(/\0[^]*$/, ''));
  else if (type === 'x') for (const [name, value] of decodePaxRecords(bytes)) records.set(name, value);
  else throwFailure(decodePaxRecords(bytes).get(ERROR_RECORD));
  return true;
}

function throwFailure(record: string | undefined): void {
  if (record === undefined) return;
  let problem: unknown;
  try {
    problem = JSON.parse(record);
  } catch {
    throw cutShort();
  }
  throw fromProblem(problem, 'archive_invalid');
}

async function toReadEntry({ entry, hasMap }: BuiltEntry, body: Body): Promise<ReadEntry> {
  if (!hasMap) return { entry, pieces: body.read([{ offset: 0, size: entry.size }]) };
  const segments = await readSparseMap(() => body.readNumber(), entry.size);
  body.endMap(countStoredBytes(segments));
  return { entry: { ...entry, segments }, pieces: body.read(segments) };
}

/** The bytes of one entry, up to the block in which the next one begins. */
class Body {
  readonly #source: ByteSource;
  readonly #size: number;
  #taken = 0;
  #block = new Uint8Array();

  constructor(source: ByteSource, size: number) {
    this.#source = source;
    this.#size = size;
  }

  /** The next line of a map. */
  async readNumber(): Promise<number> {
    let digits = '';
    for (;;) {
      if (this.#block.length === 0) this.#block = new Uint8Array(await this.#take(BLOCK_BYTES));
      const end = this.#block.indexOf(NEWLINE);
      digits += decoder.decode(end === -1 ? this.#block : this.#block.subarray(0, end));
      this.#block = end === -1 ? new Uint8Array() : this.#block.subarray(end + 1);
      if (digits.length > 16) break;
      if (end !== -1) return /^\d{1,16}$/.test(digits) ? Number(digits) : Number.NaN;
    }
    return Number.NaN;
  }

  /** The map is read; `expected` bytes must be left. */
  endMap(expected: number): void {
    if (this.#taken + expected === this.#size) return;
    throw new SandboxError('archive_invalid', 'expected as many bytes as the map of a sparse file tells');
  }

  async *read(segments: readonly Segment[]): AsyncGenerator<Piece> {
    for (const { offset, size } of segments)
      for (let at = 0; at < size; ) {
        const bytes = await this.#source.takeSome(size - at);
        if (bytes === undefined) throw cutShort();
        this.#taken += bytes.length;
        yield { offset: offset + at, bytes };
        at += bytes.length;
      }
  }

  async finish(): Promise<void> {
    await this.#source.skip(this.#size - this.#taken + padding(this.#size).length);
  }

  async #take(size: number): Promise<Uint8Array> {
    if (this.#taken + size > this.#size) throw cutShort();
    this.#taken += size;
    return await this.#source.take(size);
  }
}
