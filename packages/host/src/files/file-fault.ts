/** What the system says of a file call, as an error of the registry. */
import { SandboxError, isSandboxError } from '@omnigent/protocol';
import type { ErrorCode } from '@omnigent/protocol';

const CODES: Readonly<Record<string, ErrorCode>> = {
  ENOENT: 'file_not_found',
  EACCES: 'path_forbidden',
  EPERM: 'path_forbidden',
  EROFS: 'path_forbidden',
  ENOTDIR: 'file_conflict',
  EISDIR: 'file_conflict',
  EEXIST: 'file_conflict',
  ENOTEMPTY: 'file_conflict',
  ELOOP: 'file_conflict',
  ENXIO: 'file_conflict',
  EBUSY: 'file_conflict',
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EFBIG: 'too_large',
  ENAMETOOLONG: 'invalid_request',
};

/** Runs a file call; what it throws names the caller's path. */
export async function withFileFaults<Result>(path: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw toFileFault(path, error);
  }
}

/** The error to tell for what the system says of a path. */
export function toFileFault(path: string, error: unknown): unknown {
  if (isSandboxError(error) || !(error instanceof Error) || !('code' in error)) return error;
  const code = CODES[String(error.code)];
  if (code === undefined) return error;
  // The system's text names descriptors of the host; only its first part means something to a caller.
  const text = error.message.split(',', 1)[0] ?? error.message;
  return new SandboxError(code, `${JSON.stringify(path)}: ${text}`, { cause: error, details: { path } });
}
