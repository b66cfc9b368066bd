/** What an archive holds: files, directories and links, by paths below one place. */

/** Bytes of a file from `offset` on; what lies between the segments of a file are holes. */
export interface Segment {
  readonly offset: number;
  readonly size: number;
}

export interface ArchiveEntry {
  /** Names with `/` between them; `.` is the place itself. Never absolute, never with `..`. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'hardlink';
  /** Permission bits. */
  readonly mode: number;
  /** Whole seconds since 1970. */
  readonly modifiedAt: number;
  /** Bytes of a file, its holes included; 0 for all else. */
  readonly size: number;
  /** Where a link leads: free text for a symbolic one, the path of an earlier entry for a hard one. */
  readonly target: string;
  /** Where the bytes are of a file that has holes. */
  readonly segments?: readonly Segment[];
}

/** Bytes of a file and where in it they belong. */
export interface Piece {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** How many bytes of a file an archive holds. */
export function countStoredBytes(segments: readonly Segment[]): number {
  return segments.reduce((sum, { size }) => sum + size, 0);
}
