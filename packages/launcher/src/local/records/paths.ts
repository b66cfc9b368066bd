/** Where a local sandbox keeps what on the machine. */
import { join } from 'node:path';
import { SandboxError } from '@omnigent/protocol';

/** Paths of one sandbox on the machine. */
export interface SandboxPaths {
  readonly root: string;
  /** What {@link root} is called once its removal has begun. */
  readonly leaving: string;
  readonly record: string;
  readonly home: string;
  readonly workspace: string;
  readonly hostConfig: string;
  /** Files that appear as /etc/passwd, /etc/group and /etc/hosts. */
  readonly identity: { readonly passwd: string; readonly group: string; readonly hosts: string };
  /** Settings of git for clones that the launcher makes. */
  readonly gitSettings: string;
  /** Output of the host. */
  readonly log: string;
}

const PROVIDER_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;
const LEAVING = '.leaving';

/** Name of a sandbox's record in its directory. */
export const RECORD_NAME = 'sandbox.json';

/** The directory of all sandboxes of a state directory. */
export function toSandboxesDirectory(stateDirectory: string): string {
  return join(stateDirectory, 'sandboxes');
}

/** The provider's id that an entry of the directory of all sandboxes belongs to; undefined for what is not ours. */
export function toProviderId(entryName: string): string | undefined {
  const name = entryName.endsWith(LEAVING) ? entryName.slice(0, -LEAVING.length) : entryName;
  return PROVIDER_ID.test(name) ? name : undefined;
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
    leaving: `${root}${LEAVING}`,
    record: join(root, RECORD_NAME),
    home,
    workspace: join(home, 'workspace'),
    hostConfig: join(home, '.omnigent', 'config.yaml'),
    identity: { passwd: join(root, 'passwd'), group: join(root, 'group'), hosts: join(root, 'hosts') },
    gitSettings: join(root, 'gitconfig'),
    log: join(root, 'host.log'),
  };
}
