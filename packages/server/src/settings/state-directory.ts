/** Where a server keeps its state: OMNIGENT_STATE_DIR, else the XDG state directory. */
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
