/**
 * The recorded output of one process: an append-only sequence of bytes in segment files, addressed by offset.
 * What is not yet on the disk is served from memory, so a reader never waits for the disk and a program never for a reader.
 */
import { open, mkdir, rmdir, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { toErrorMessage } from '@omnigent/protocol';
import { PendingRecords, sum } from './pending-records.ts';
import type { LogPieces } from './pending-records.ts';

export type { LogPieces };

/** A file of the log that begins at `start`; records never straddle two segments. */
export interface Segment {
  readonly start: number;
  readonly path: string;
  /** Bytes of whole records. */
  readonly size: number;
}

type GrowingSegment = { -readonly [Key in keyof Segment]: Segment[Key] };

export interface OutputLogOptions {
  /** Directory of the log's files; made when the first bytes arrive. */
  readonly directory: string;
  /** Bytes kept; past it the oldest segments go. */
  readonly budgetBytes: number;
  readonly segmentBytes?: number;
  /** Told once when the disk begins to refuse; the log goes on in memory within {@link MEMORY_BYTES}. */
  readonly onDiskError?: (message: string) => void;
}

/** Where the bytes of an offset are. */
export type LogPlace = { readonly kind: 'memory' } | { readonly kind: 'file'; readonly segment: Segment };

const DEFAULT_SEGMENT_BYTES = 8 * 1024 * 1024;
/** Bytes that may wait for the disk before the writer should pause its source. */
const PENDING_BYTES = 1024 * 1024;
/** Bytes kept in memory when the disk is full, before the oldest go. */
const MEMORY_BYTES = 8 * 1024 * 1024;

export class OutputLog {
  readonly #options: OutputLogOptions;
  readonly #segmentBytes: number;
  readonly #pending = new PendingRecords();
  #segments: GrowingSegment[] = [];
  #current: FileHandle | undefined;
  #firstOffset = 0;
  #isEnded = false;
  #isRemoved = false;
  /** Whether the last write failed: then nobody waits for the disk. */
  #isDiskRefusing = false;
  #flushing: Promise<void> | undefined;
  #waiters = new Set<() => void>();
  readonly #listeners = new Set<() => void>();
  #drainWaiters = new Set<() => void>();
  #followers = 0;

  constructor(options: OutputLogOptions) {
    this.#options = options;
    this.#segmentBytes =
      options.segmentBytes ?? Math.min(DEFAULT_SEGMENT_BYTES, Math.ceil(options.budgetBytes / 4));
  }

  /** The oldest offset that is kept. */
  get firstOffset(): number {
    return this.#firstOffset;
  }

  /** The offset after the last byte. */
  get endOffset(): number {
    return this.#pending.end;
  }

  /** Whether nothing more will be appended. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** How many readers are at it. */
  get followers(): number {
    return this.#followers;
  }

  /** Counts a reader. Returns the function that ends this. */
  join(): () => void {
    this.#followers += 1;
    return () => (this.#followers -= 1);
  }

  /** Calls back whenever there is more or the log has ended. Returns the function that ends this. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Appends whole records. Returns whether the source may go on at once; if not, wait for {@link whenDrained}. */
  append(records: readonly LogPieces[]): boolean {
    for (const record of records) this.#pending.push(record);
    this.#wake();
    this.#flushing ??= this.#flush();
    return this.#isDrained();
  }

  /** Marks the log as complete. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
    this.#flushing ??= this.#flush();
  }

  /** Resolves when little enough waits for the disk. */
  async whenDrained(): Promise<void> {
    while (!this.#isDrained()) await new Promise<void>((resolve) => this.#drainWaiters.add(resolve));
  }

  /** Resolves when everything is on the disk (or the disk refused). */
  async flushed(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
  }

  /** Resolves when there is more than `offset`, the log has ended, or the signal aborts. */
  async whenBeyond(offset: number, signal: AbortSignal): Promise<void> {
    if (this.endOffset > offset || this.#isEnded || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.#waiters.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiters.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  /** What is kept at an offset: bytes that wait in memory, or a place in a file; undefined when that offset is gone. */
  locate(offset: number): LogPlace | undefined {
    if (offset < this.#firstOffset) return undefined;
    if (offset >= this.#pending.start) return { kind: 'memory' };
    const segment = this.#segments.find((candidate) => offset < candidate.start + candidate.size);
    return segment === undefined ? undefined : { kind: 'file', segment };
  }

  /** Whole records of about `maxBytes` from an offset that is in memory; empty at the end. */
  readMemory(offset: number, maxBytes: number): Uint8Array {
    return this.#pending.read(offset, maxBytes);
  }

  /** Forgets everything; readers end. */
  async remove(): Promise<void> {
    this.#isRemoved = true;
    this.end();
    await this.flushed();
    await this.#closeCurrent();
    await Promise.all(this.#segments.map(({ path }) => unlink(path).catch(() => undefined)));
    if (this.#segments.length > 0) await rmdir(this.#options.directory).catch(() => undefined);
    this.#segments = [];
    this.#firstOffset = this.endOffset;
  }

  #isDrained(): boolean {
    return this.#pending.byteCount <= PENDING_BYTES || this.#isDiskRefusing || this.#isRemoved;
  }

  #wake(): void {
    for (const wake of [...this.#waiters]) wake();
    for (const listen of this.#listeners) listen();
  }

  async #flush(): Promise<void> {
    // A turn later, so that records of one tick go to the disk together.
    await Promise.resolve();
    while (this.#pending.byteCount > 0 && !this.#isRemoved) {
      const batch = this.#pending.list();
      try {
        await this.#write(batch);
        this.#isDiskRefusing = false;
      } catch (error) {
        if (!this.#isDiskRefusing) this.#options.onDiskError?.(toErrorMessage(error));
        if (!(await this.#makeRoom())) break;
      }
      this.#wakeDrained();
    }
    // Thousands of ended programs must not keep thousands of files open.
    if (this.#isEnded && this.#pending.byteCount === 0) await this.#closeCurrent();
    this.#flushing = undefined;
    this.#wakeDrained();
  }

  async #closeCurrent(): Promise<void> {
    const file = this.#current;
    this.#current = undefined;
    await file?.close();
  }

  #wakeDrained(): void {
    for (const wake of this.#drainWaiters) wake();
    this.#drainWaiters.clear();
  }

  async #write(batch: readonly LogPieces[]): Promise<void> {
    const { segment, file } = await this.#openForWriting();
    const { bytesWritten } = await file.writev(batch.flat(), segment.size);
    if (bytesWritten !== sum(batch)) throw new Error('the disk took only a part of the output');
    segment.size += bytesWritten;
    this.#pending.drop(batch.length);
    await this.#trim();
  }

  async #openForWriting(): Promise<{ segment: GrowingSegment; file: FileHandle }> {
    const last = this.#segments.at(-1);
    const { start } = this.#pending;
    if (last !== undefined && this.#current !== undefined && last.size < this.#segmentBytes) {
      // After records were let go, the offsets of this segment no longer go on.
      if (last.start + last.size === start) return { segment: last, file: this.#current };
    }
    await this.#closeCurrent();
    if (last === undefined) await mkdir(this.#options.directory, { recursive: true, mode: 0o700 });
    const path = join(this.#options.directory, `${start}.log`);
    const file = await open(path, 'w', 0o600);
    const segment = { start, path, size: 0 };
    this.#current = file;
    this.#segments.push(segment);
    return { segment, file };
  }

  async #trim(): Promise<void> {
    while (this.#segments.length > 1 && this.endOffset - this.#firstOffset > this.#options.budgetBytes) {
      await this.#dropOldest();
    }
  }

  async #dropOldest(): Promise<void> {
    const oldest = this.#segments.shift();
    if (oldest === undefined) return;
    this.#firstOffset = this.#segments[0]?.start ?? this.#pending.start;
    await unlink(oldest.path).catch(() => undefined);
  }

  /** After the disk refused: frees an old segment, else lets go of the oldest records in memory. Returns whether to try again. */
  async #makeRoom(): Promise<boolean> {
    if (this.#segments.length > 1) {
      await this.#dropOldest();
      return true;
    }
    this.#isDiskRefusing = true;
    while (this.#pending.byteCount > MEMORY_BYTES) {
      this.#pending.drop(1);
      // What lies in files before the gap cannot be reached in order any more.
      this.#firstOffset = this.#pending.start;
    }
    return false;
  }
}
