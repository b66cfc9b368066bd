/** The state directory: OMNIGENT_STATE_DIR, else the XDG state directory (the same rule as the server's). */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { COMMAND_ENVIRONMENT } from '@omnigent/protocol';

type Environment = Readonly<Record<string, string | undefined>>;

export function resolveStateDirectory(flag: string | undefined, environment: Environment): string {
  const chosen = flag ?? environment[COMMAND_ENVIRONMENT.stateDirectory];
  if (chosen !== undefined && chosen !== '') return resolve(chosen);
  const base = environment['XDG_STATE_HOME'];
  return join(base?.startsWith('/') === true ? base : join(homedir(), '.local', 'state'), 'omnigent');
}
