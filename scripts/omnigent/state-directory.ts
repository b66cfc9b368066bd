/** A state directory for a while. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is removed when it is disposed. */
export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string;
}

/** Creates an empty state directory. */
export async function createStateDirectory(): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'omnigent-state-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
