/** Where the bundled host lies: beside this server's bundle, or in the command's package when run from the sources. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SandboxError } from '@omnigent/protocol';

const PLACES = ['../host/main.js', '../../../cli/dist/host/main.js'];

/** @throws SandboxError `invalid_config` when the host was not built. */
export function findHostBundle(moduleUrl: string): string {
  const paths = PLACES.map((place) => fileURLToPath(new URL(place, moduleUrl)));
  const found = paths.find((path) => existsSync(path));
  if (found === undefined)
    throw new SandboxError('invalid_config', `expected the host bundle at ${paths[0]}, found none`);
  return found;
}
