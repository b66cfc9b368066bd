/** A tar stream as files: each appears whole or not at all, and none outside the directory. */
import { SandboxError } from '../errors.ts';
import type { ArchiveEntry, Piece } from './entry.ts';
import { hasSystemCode, joinEntry } from './file-system.ts';
import type { FileFacts, FileSystem, OpenFile } from './file-system.ts';
import { readTar } from './tar-reader.ts';

export interface UnpackOptions {
  readonly fileSystem: FileSystem;
  /** The directory to unpack in, which is there. */
  readonly root: string;
  /** Whether the root takes mode and time of the archive's own `.`. */
  readonly isRootOfArchive: boolean;
  /** Another place for an entry; undefined leaves it where it is. */
  readonly rename?: (path: string) => string;
  /** Whether an entry would change what callers may not reach. */
  readonly isForbidden?: (path: string) => boolean;
  /** The error to tell for what the file system says of an entry. */
  readonly toFault: (path: string, error: unknown) => unknown;
  /** A part of a name that no file has. */
  readonly randomName: () => string;
}

/**
 * Unpacks entries as they come. Directories that are there are kept; files and links that are there are replaced. Owners are those
 * of the process; set-user-id bits are dropped.
 *
 * @throws SandboxError `archive_invalid`, `file_conflict` for a path through a link or over a directory, `path_forbidden`.
 */
export async function unpackTree(chunks: AsyncIterable<Uint8Array>, options: UnpackOptions): Promise<void> {
  const unpacker = new Unpacker(options);
  for await (const { entry, pieces } of readTar(chunks)) await unpacker.add(entry, pieces);
  await unpacker.finish();
}

class Unpacker {
  readonly #options: UnpackOptions;
  /** Directories that are known to be there and no links. */
  readonly #known = new Set(['.']);
  readonly #directories = new Map<string, ArchiveEntry>();
  readonly #files = new Set<string>();

  constructor(options: UnpackOptions) {
    this.#options = options;
  }

  async add(entry: ArchiveEntry, pieces: AsyncIterable<Piece>): Promise<void> {
    const path = this.#options.rename?.(entry.path) ?? entry.path;
    try {
      if (this.#options.isForbidden?.(path) === true)
        throw new SandboxError('path_forbidden', `${JSON.stringify(path)} is not for callers to change`);
      await this.#ensureDirectory(path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.');
      await this.#put({ ...entry, path }, pieces);
    } catch (error) {
      throw this.#options.toFault(path, error);
    }
  }

  /** Modes and times of directories come last: what is put into them would change them, or be refused. */
  async finish(): Promise<void> {
    const { fileSystem, isRootOfArchive, toFault } = this.#options;
    for (const [path, { mode, modifiedAt }] of [...this.#directories].toReversed()) {
      if (path === '.' && !isRootOfArchive) continue;
      try {
        await fileSystem.chmod(this.#toPath(path), mode);
        await fileSystem.utimes(this.#toPath(path), modifiedAt, modifiedAt);
      } catch (error) {
        throw toFault(path, error);
      }
    }
  }

  #toPath(path: string): string {
    return joinEntry(this.#options.root, path);
  }

  async #put(entry: ArchiveEntry, pieces: AsyncIterable<Piece>): Promise<void> {
    if (entry.kind === 'directory') {
      await this.#ensureDirectory(entry.path);
      this.#directories.set(entry.path, entry);
      return;
    }
    if (entry.path === '.')
      throw new SandboxError('archive_invalid', 'expected a directory as ".", found another kind');
    this.#files.delete(entry.path);
    if (entry.kind === 'symlink') await this.#putLink(entry);
    else if (entry.kind === 'hardlink') await this.#putHardLink(entry);
    else await this.#putFile(entry, pieces);
    if (entry.kind !== 'symlink') this.#files.add(entry.path);
  }

  /** A directory and those above it. One that is a link leads somewhere that the archive must not decide. */
  async #ensureDirectory(path: string): Promise<void> {
    if (this.#known.has(path)) return;
    if (path.includes('/')) await this.#ensureDirectory(path.slice(0, path.lastIndexOf('/')));
    const { fileSystem } = this.#options;
    const stats = await this.#look(path);
    if (stats === undefined) await fileSystem.mkdir(this.#toPath(path), 0o777).catch(ignoreExisting);
    else if (!stats.isDirectory())
      throw new SandboxError(
        'file_conflict',
        `expected a directory, found a ${stats.isSymbolicLink() ? 'symbolic link' : 'file'}: ${JSON.stringify(path)}`,
      );
    this.#known.add(path);
  }

  async #look(path: string): Promise<FileFacts | undefined> {
    try {
      return await this.#options.fileSystem.lstat(this.#toPath(path));
    } catch (error) {
      if (hasSystemCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  async #putFile(entry: ArchiveEntry, pieces: AsyncIterable<Piece>): Promise<void> {
    await this.#replace(entry.path, async (beside) => {
      const file = await this.#options.fileSystem.open(beside, 'wx', 0o600);
      try {
        for await (const piece of pieces) await writePiece(file, piece);
        if (entry.segments !== undefined) await file.truncate(entry.size);
        await file.chmod(entry.mode);
        await file.utimes(entry.modifiedAt, entry.modifiedAt);
      } finally {
        await file.close();
      }
    });
  }

  async #putLink({ path, target, modifiedAt }: ArchiveEntry): Promise<void> {
    const { fileSystem } = this.#options;
    await this.#replace(path, async (beside) => {
      await fileSystem.symlink(target, beside);
      await fileSystem.lutimes(beside, modifiedAt, modifiedAt);
    });
  }

  async #putHardLink({ path, target }: ArchiveEntry): Promise<void> {
    const existing = this.#options.rename?.(target) ?? target;
    if (!this.#files.has(existing))
      throw new SandboxError(
        'archive_invalid',
        `expected a hard link to an earlier file of the archive, found one to ${JSON.stringify(target)}: ${JSON.stringify(path)}`,
      );
    await this.#replace(path, (beside) => this.#options.fileSystem.link(this.#toPath(existing), beside));
  }

  /** Makes something beside its place and moves it there. */
  async #replace(path: string, make: (beside: string) => Promise<void>): Promise<void> {
    const { fileSystem, randomName } = this.#options;
    const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
    const beside = joinEntry(this.#toPath(parent), `.omnigent-${randomName()}`);
    try {
      await make(beside);
      await fileSystem.rename(beside, this.#toPath(path));
    } finally {
      // Still there after a failure, and when both names were of one file.
      await fileSystem.unlink(beside).catch(() => undefined);
    }
  }
}

async function writePiece(file: OpenFile, { offset, bytes }: Piece): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += (await file.write(bytes, written, bytes.length - written, offset + written)).bytesWritten;
}

function ignoreExisting(error: unknown): void {
  if (!hasSystemCode(error, 'EEXIST')) throw error;
}
