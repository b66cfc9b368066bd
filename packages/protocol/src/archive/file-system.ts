/** The calls that packing and unpacking make; `node:fs/promises` has them all, so that protocol needs no Node.js itself. */

export interface FileFacts {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  readonly dev: number;
  readonly ino: number;
  readonly nlink: number;
  readonly mode: number;
  readonly size: number;
  /** Of 512 bytes each: fewer than the size needs are the mark of holes. */
  readonly blocks: number;
  readonly mtimeMs: number;
}

export interface OpenFile {
  stat(): Promise<FileFacts>;
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  write(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
  truncate(size: number): Promise<void>;
  chmod(mode: number): Promise<void>;
  utimes(accessed: number, modified: number): Promise<void>;
  close(): Promise<void>;
}

export interface FileSystem {
  readonly constants: {
    readonly O_RDONLY: number;
    readonly O_NOFOLLOW: number;
    readonly O_NONBLOCK: number;
  };
  lstat(path: string): Promise<FileFacts>;
  readdir(path: string): Promise<string[]>;
  readlink(path: string): Promise<string>;
  open(path: string, flags: number | string, mode?: number): Promise<OpenFile>;
  mkdir(path: string, mode?: number): Promise<unknown>;
  chmod(path: string, mode: number): Promise<void>;
  utimes(path: string, accessed: number, modified: number): Promise<void>;
  lutimes(path: string, accessed: number, modified: number): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  link(existing: string, path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
}

/** What a file system throws has a code such as `ENOENT`. */
export function hasSystemCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** A path of an entry below a root; `.` is the root. */
export function joinEntry(root: string, path: string): string {
  if (path === '.') return root;
  return root.endsWith('/') ? root + path : `${root}/${path}`;
}
