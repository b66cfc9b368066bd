/** Where a local sandbox keeps what, outside and inside. */
import { join } from 'node:path';
import { SandboxError } from '@omnigent/protocol';

/** Paths of one sandbox on the machine. */
export interface SandboxPaths {
  readonly root: string;
  readonly record: string;
  readonly home: string;
  readonly workspace: string;
  readonly passwd: string;
  readonly group: string;
  readonly log: string;
}

const PROVIDER_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The directory of all sandboxes of a state directory. */
export function toSandboxesDirectory(stateDirectory: string): string {
  return join(stateDirectory, 'sandboxes');
}

/** @throws SandboxError `invalid_request` for an id that could leave the directory. */
export function toSandboxPaths(stateDirectory: string, providerId: string): SandboxPaths {
  if (!PROVIDER_ID.test(providerId))
    throw new SandboxError(
      'invalid_request',
      `expected an id of a local sandbox, found ${JSON.stringify(providerId)}`,
    );
  const root = join(toSandboxesDirectory(stateDirectory), providerId);
  const home = join(root, 'home');
  return {
    root,
    home,
    record: join(root, 'sandbox.json'),
    workspace: join(home, 'workspace'),
    passwd: join(root, 'passwd'),
    group: join(root, 'group'),
    log: join(root, 'host.log'),
  };
}

/** Paths inside every isolated sandbox. */
export const INSIDE = {
  node: '/opt/omnigent/bin/node',
  host: '/opt/omnigent/host',
  compileCache: '/opt/omnigent/compile-cache',
} as const;
