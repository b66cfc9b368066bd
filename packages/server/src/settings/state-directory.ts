/** Where a server keeps its state: OMNIGENT_STATE_DIR, else the XDG state directory. */
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The directory's path; nothing is created. */
export function resolveStateDirectory(flag: string | undefined, environment: Environment): string {
  const chosen = flag ?? environment['OMNIGENT_STATE_DIR'];
  if (chosen !== undefined && chosen !== '') return resolve(chosen);
  const base = environment['XDG_STATE_HOME'];
  return join(
    base !== undefined && base.startsWith('/') ? base : join(homedir(), '.local', 'state'),
    'omnigent',
  );
}

/** Makes the directory, for its owner only. */
export async function ensureStateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}
