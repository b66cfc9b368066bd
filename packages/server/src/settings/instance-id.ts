/** The id of this installation, made once per state directory. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildId } from '@omnigent/protocol';
import type { RandomBytes } from '@omnigent/protocol';

/** Reads the id, or makes it; two processes at once end up with the same. */
export async function ensureInstanceId(stateDirectory: string, randomBytes: RandomBytes): Promise<string> {
  const path = join(stateDirectory, 'instance');
  await writeFile(path, buildId('s', randomBytes).slice(1), { flag: 'wx', mode: 0o600 }).catch(
    (error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    },
  );
  return (await readFile(path, 'utf8')).trim();
}
