/** The bubblewrap command line of a sandbox. Pure but for the look at which system paths exist. */
import { lstat, readlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SANDBOX_HOME, SANDBOX_UID, SANDBOX_USER } from '@omnigent/protocol';
import { INSIDE } from './paths.ts';
import type { SandboxPaths } from './paths.ts';

/** What of the machine's root a sandbox sees: a directory to bind, or a link to make again (`/bin` → `usr/bin`). */
export type RootEntry = { readonly path: string; readonly linkTo: string | null };

const ROOT_PATHS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** The parts of /etc that programs need; nothing that tells of the machine's users. */
const ETC_PATHS = [
  '/etc/alternatives',
  '/etc/ca-certificates',
  '/etc/hosts',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/nsswitch.conf',
  '/etc/pki',
  '/etc/protocols',
  '/etc/resolv.conf',
  '/etc/services',
  '/etc/ssl',
];

/** Looks at the machine's root. */
export async function readRootEntries(): Promise<RootEntry[]> {
  const entries = await Promise.all(
    ROOT_PATHS.map(async (path): Promise<RootEntry[]> => {
      const facts = await lstat(path).catch(() => undefined);
      if (facts === undefined) return [];
      return [{ path, linkTo: facts.isSymbolicLink() ? await readlink(path) : null }];
    }),
  );
  return entries.flat();
}

/** What runs in a sandbox, and where the machine keeps it. */
export interface HostFiles {
  readonly nodePath: string;
  readonly hostBundle: string;
  /** Compiled code of the host; null when there is none. */
  readonly compileCache: string | null;
}

export interface BubblewrapOptions extends HostFiles {
  readonly rootEntries: readonly RootEntry[];
  readonly paths: SandboxPaths;
  readonly readablePaths: readonly string[];
  readonly command: readonly string[];
}

/** Namespaces and the read-only view of the system. */
export function buildSystemArguments(rootEntries: readonly RootEntry[]): string[] {
  return [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...['--uid', String(SANDBOX_UID), '--gid', String(SANDBOX_UID)],
    ...['--hostname', SANDBOX_USER],
    ...rootEntries.flatMap(({ path, linkTo }) =>
      linkTo === null ? ['--ro-bind', path, path] : ['--symlink', linkTo, path],
    ),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/run', '--dir', '/var/tmp'],
  ];
}

/** Node.js, the host and its compiled code. */
function buildHostMounts(
  { nodePath, hostBundle, compileCache }: HostFiles,
  cacheFlag: '--ro-bind' | '--bind',
): string[] {
  return [
    ...['--ro-bind', nodePath, INSIDE.node, '--ro-bind', dirname(hostBundle), INSIDE.host],
    ...(compileCache === null ? [] : [cacheFlag, compileCache, INSIDE.compileCache]),
  ];
}

/** What the probe tries: the host in all of a sandbox's namespaces, which also fills the compile cache. */
export function buildProbeArguments(rootEntries: readonly RootEntry[], files: HostFiles): string[] {
  const mounts = buildHostMounts(files, '--bind');
  return [
    ...buildSystemArguments(rootEntries),
    ...mounts,
    '--',
    INSIDE.node,
    `${INSIDE.host}/main.js`,
    '--version',
  ];
}

/** The arguments of `bwrap`. No secret is among them: the token comes by the environment. */
export function buildBubblewrapArguments(options: BubblewrapOptions): string[] {
  const { rootEntries, paths, readablePaths, command } = options;
  return [
    ...buildSystemArguments(rootEntries),
    '--new-session',
    ...ETC_PATHS.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--ro-bind', paths.passwd, '/etc/passwd', '--ro-bind', paths.group, '/etc/group'],
    ...readablePaths.flatMap((path) => ['--ro-bind-try', path, path]),
    ...buildHostMounts(options, '--ro-bind'),
    ...['--bind', paths.home, SANDBOX_HOME],
    ...['--chdir', SANDBOX_HOME],
    '--',
    ...command,
  ];
}

/** The passwd file that makes `whoami` and `git commit` work. */
export const PASSWD = [
  'root:x:0:0:root:/root:/usr/sbin/nologin',
  `${SANDBOX_USER}:x:${SANDBOX_UID}:${SANDBOX_UID}:Sandbox:${SANDBOX_HOME}:/bin/bash`,
  'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
  '',
].join('\n');
export const GROUP = [`root:x:0:`, `${SANDBOX_USER}:x:${SANDBOX_UID}:`, 'nogroup:x:65534:', ''].join('\n');
