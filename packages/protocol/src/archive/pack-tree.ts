/** A file, link or directory tree as a tar stream. */
import { SandboxError } from '../errors.ts';
import { toProblem } from '../problem.ts';
import type { ArchiveEntry, Segment } from './entry.ts';
import { countStoredBytes } from './entry.ts';
import { hasSystemCode, joinEntry } from './file-system.ts';
import type { FileFacts, FileSystem, OpenFile } from './file-system.ts';
import { inBatches } from './in-batches.ts';
import { SegmentFinder } from './sparse-map.ts';
import { END_OF_ARCHIVE, encodeEntry, encodeFailure, padding } from './tar-encoder.ts';

const READ_BYTES = 256 * 1024;
/** Holes smaller than this are stored: that of most file systems. */
const HOLE_BYTES = 4096;

export interface PackOptions {
  readonly fileSystem: FileSystem;
  /** What is packed: a directory as `.` with all below it, anything else as one entry. */
  readonly root: string;
  /** The entry's name when the root is no directory. */
  readonly name: string;
  /** Leaves out an entry and all below it. */
  readonly isSkipped?: (path: string) => boolean;
  /** The error to tell for what the file system says of an entry. */
  readonly toFault: (path: string, error: unknown) => unknown;
}

/**
 * Packs in the order of the names. What goes away meanwhile is left out, what shrinks is filled up with zeros; devices, fifos and
 * sockets are left out. A failure is told in the stream, which then ends without its end mark: whoever unpacks it throws that failure.
 */
export async function* packTree(options: PackOptions): AsyncGenerator<Uint8Array> {
  const packer = new Packer(options);
  try {
    yield* inBatches(packer.walk('.'));
  } catch (error) {
    yield encodeFailure(toProblem(error));
    return;
  }
  yield END_OF_ARCHIVE;
}

class Packer {
  readonly #options: PackOptions;
  /** Where files with several names were first met. */
  readonly #firstNames = new Map<string, string>();

  constructor(options: PackOptions) {
    this.#options = options;
  }

  async *walk(path: string): AsyncGenerator<Uint8Array> {
    if (this.#options.isSkipped?.(path) === true) return;
    const stats = await this.#look(path);
    if (stats?.isDirectory() === true) yield* this.#packDirectory(path, stats);
    else if (stats?.isSymbolicLink() === true) yield* this.#packLink(path, stats);
    else if (stats?.isFile() === true) yield* this.#packFile(path);
  }

  get #fileSystem(): FileSystem {
    return this.#options.fileSystem;
  }

  #toPath(path: string): string {
    return joinEntry(this.#options.root, path);
  }

  #toEntry(path: string, stats: FileFacts): Omit<ArchiveEntry, 'kind'> {
    return {
      path: path === '.' && !stats.isDirectory() ? this.#options.name : path,
      mode: stats.mode & 0o777,
      modifiedAt: Math.floor(stats.mtimeMs / 1000),
      size: 0,
      target: '',
    };
  }

  async #look(path: string): Promise<FileFacts | undefined> {
    return await this.#guard(path, () => this.#fileSystem.lstat(this.#toPath(path)));
  }

  /** Undefined when the entry is gone, unless it is the root. */
  async #guard<Result>(path: string, run: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await run();
    } catch (error) {
      if (path !== '.' && hasSystemCode(error, 'ENOENT')) return undefined;
      throw this.#options.toFault(path, error);
    }
  }

  async *#packDirectory(path: string, stats: FileFacts): AsyncGenerator<Uint8Array> {
    const names = await this.#guard(path, () => this.#fileSystem.readdir(this.#toPath(path)));
    if (names === undefined) return;
    yield encodeEntry({ ...this.#toEntry(path, stats), kind: 'directory' });
    for (const name of names.toSorted()) {
      if (name.includes('\uFFFD'))
        throw new SandboxError(
          'archive_invalid',
          `expected names in UTF-8, found ${JSON.stringify(name)} in ${JSON.stringify(path)}; pack it inside the sandbox with tar`,
        );
      yield* this.walk(path === '.' ? name : `${path}/${name}`);
    }
  }

  async *#packLink(path: string, stats: FileFacts): AsyncGenerator<Uint8Array> {
    const target = await this.#guard(path, () => this.#fileSystem.readlink(this.#toPath(path)));
    if (target === undefined) return;
    yield encodeEntry({ ...this.#toEntry(path, stats), kind: 'symlink', target });
  }

  async *#packFile(path: string): AsyncGenerator<Uint8Array> {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = this.#fileSystem.constants;
    const flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
    const file = await this.#guard(path, () => this.#fileSystem.open(this.#toPath(path), flags));
    if (file === undefined) return;
    try {
      yield* this.#packOpenFile(path, file);
    } catch (error) {
      throw this.#options.toFault(path, error);
    } finally {
      await file.close();
    }
  }

  async *#packOpenFile(path: string, file: OpenFile): AsyncGenerator<Uint8Array> {
    const stats = await file.stat();
    // Another kind of file has taken the name since it was looked at.
    if (!stats.isFile()) return;
    const base = this.#toEntry(path, stats);
    const target = this.#rememberName(base.path, stats);
    if (target !== undefined) return yield encodeEntry({ ...base, kind: 'hardlink', target });
    const entry = { ...base, kind: 'file', size: stats.size } as const;
    const isSparse = stats.blocks * 512 < stats.size;
    const segments = isSparse ? await findSegments(file, stats.size) : undefined;
    yield encodeEntry(segments === undefined ? entry : { ...entry, segments });
    const stored = segments ?? [{ offset: 0, size: stats.size }];
    yield* readSegments(file, stored);
    yield padding(countStoredBytes(stored));
  }

  /** The name under which the same file is in the archive already. */
  #rememberName(path: string, { nlink, dev, ino }: FileFacts): string | undefined {
    if (nlink < 2) return undefined;
    const key = `${dev}:${ino}`;
    const first = this.#firstNames.get(key);
    if (first === undefined) this.#firstNames.set(key, path);
    return first;
  }
}

async function findSegments(file: OpenFile, size: number): Promise<readonly Segment[]> {
  const finder = new SegmentFinder();
  const buffer = new Uint8Array(READ_BYTES);
  for (let offset = 0; offset < size; ) {
    const wanted = Math.min(READ_BYTES, size - offset);
    const bytesRead = await fill(file, buffer.subarray(0, wanted), offset);
    if (bytesRead === 0) break;
    finder.add(offset, buffer.subarray(0, bytesRead), HOLE_BYTES);
    offset += bytesRead;
  }
  // GNU tar makes a file as long as its last segment reaches.
  return [...finder.segments, { offset: size, size: 0 }];
}

async function* readSegments(file: OpenFile, segments: readonly Segment[]): AsyncGenerator<Uint8Array> {
  for (const { offset, size } of segments)
    for (let at = 0; at < size; ) {
      // A fresh buffer each time: what was yielded may still wait to be sent. Zeros stand for what the file has lost.
      const buffer = new Uint8Array(Math.min(READ_BYTES, size - at));
      await fill(file, buffer, offset + at);
      yield buffer;
      at += buffer.length;
    }
}

/** How many bytes there were to fill the buffer with. */
async function fill(file: OpenFile, buffer: Uint8Array, position: number): Promise<number> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
