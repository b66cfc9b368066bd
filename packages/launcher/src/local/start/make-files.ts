/** Makes the directory of a sandbox and the files that its host finds. */
import { execFile } from 'node:child_process';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { SANDBOX_UID, SandboxError, toErrorMessage } from '@omnigent/protocol';
import { GROUP, PASSWD, buildHosts } from '../isolation/inside.ts';
import type { SandboxPaths } from '../records/paths.ts';

const run = promisify(execFile);
const OWNER_ONLY = 0o700;

/** Makes the empty directory of a sandbox. Returns false when there is one already. */
export async function makeRoot({ root }: SandboxPaths): Promise<boolean> {
  await mkdir(dirname(root), { recursive: true, mode: OWNER_ONLY });
  return await mkdir(root, { mode: OWNER_ONLY }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw toDiskError(error);
    },
  );
}

/** Makes the home with the host's settings, and the files that tell programs who they are. */
export async function makeFiles(
  paths: SandboxPaths,
  hostConfig: Readonly<Record<string, unknown>> | undefined,
): Promise<void> {
  try {
    await Promise.all([
      mkdir(paths.workspace, { recursive: true, mode: OWNER_ONLY }),
      writeFile(paths.identity.passwd, PASSWD),
      writeFile(paths.identity.group, GROUP),
      readFile('/etc/hosts', 'utf8')
        .catch(() => '')
        .then((text) => writeFile(paths.identity.hosts, buildHosts(text))),
    ]);
    if (hostConfig !== undefined) await writeHostConfig(paths.hostConfig, hostConfig);
  } catch (error) {
    throw toDiskError(error);
  }
}

async function writeHostConfig(path: string, config: Readonly<Record<string, unknown>>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY });
  // JSON is YAML too, and has one way to write a value.
  await writeFile(path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
}

export interface HandOverOptions {
  /** Whether more lies in the home than {@link makeFiles} has put there. */
  readonly hasClones: boolean;
  readonly signal: AbortSignal;
}

/** Makes the home the sandbox user's own, where a launcher that is root has made it. */
export async function handOver(paths: SandboxPaths, { hasClones, signal }: HandOverOptions): Promise<void> {
  const { home, hostConfig, identity, workspace } = paths;
  // Also read-only files: under a strict umask only their owner can read them.
  await Promise.all(Object.values(identity).map(giveAway));
  if (hasClones) {
    // Links are changed themselves and never followed.
    await run('chown', ['-R', '-h', '-P', `${SANDBOX_UID}:${SANDBOX_UID}`, '--', home], { signal });
    return;
  }
  await Promise.all([home, workspace, dirname(hostConfig), hostConfig].map(giveAway));
}

async function giveAway(path: string): Promise<void> {
  await chown(path, SANDBOX_UID, SANDBOX_UID).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

function toDiskError(error: unknown): SandboxError {
  const isFull = error instanceof Error && 'code' in error && /^(ENOSPC|EDQUOT)$/.test(String(error.code));
  return new SandboxError(
    isFull ? 'disk_full' : 'launch_failed',
    `cannot make the directory of the sandbox: ${toErrorMessage(error)}`,
    { cause: error },
  );
}
