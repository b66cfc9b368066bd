/** What the system says of a file of this machine, as an error of the registry. */
import { SandboxError, isSandboxError } from '@omnigent/protocol';

export function toLocalFault(path: string, error: unknown): unknown {
  if (isSandboxError(error) || !(error instanceof Error) || !('code' in error)) return error;
  const text = error.message.split(',', 1)[0] ?? error.message;
  return new SandboxError('local_file', `${JSON.stringify(path)}: ${text}`, { cause: error });
}

/** Runs a call of the file system; what it throws names the path. */
export async function withLocalFaults<Result>(path: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw toLocalFault(path, error);
  }
}
