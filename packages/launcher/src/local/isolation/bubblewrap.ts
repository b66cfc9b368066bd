/**
 * The bubblewrap command line of a sandbox; pure.
 *
 * The host's environment, and with it the launch token, comes through a file descriptor: no command line shows it, and
 * a variable such as LD_PRELOAD has no effect on bubblewrap itself, which runs outside. Everything that isolates is on
 * the command line, so that an environment that was cut short by a crash is never a weaker isolation.
 */
import { dirname } from 'node:path';
import { SANDBOX_HOME, SANDBOX_UID, SANDBOX_USER } from '@omnigent/protocol';
import type { SandboxPaths } from '../records/paths.ts';
import { INSIDE } from './inside.ts';
import { ETC_PATHS } from './system-view.ts';
import type { SystemView } from './system-view.ts';

/** The file descriptor of {@link buildEnvironmentArguments}. */
export const ENVIRONMENT_FD = 3;

/** What runs in a sandbox, and where the machine keeps it. */
export interface HostFiles {
  readonly nodePath: string;
  readonly hostBundle: string;
  /** Compiled code of the host; null when there is none. */
  readonly compileCache: string | null;
}

/** How bubblewrap is to isolate on this machine. */
export interface Wrapping extends HostFiles {
  readonly system: SystemView;
  /** Whether the launcher runs as root: a sandbox must not. */
  readonly isRoot: boolean;
}

export interface BubblewrapOptions extends Wrapping {
  /** Absent for a probe, which has no home and must not outlive the launcher. */
  readonly sandbox?: Pick<SandboxPaths, 'home' | 'identity'>;
  readonly readablePaths?: readonly string[];
  /** Whether the compile cache is being filled. */
  readonly isCacheWritable?: boolean;
  /** The command inside. */
  readonly command: readonly string[];
}

const USER_NAMESPACE = ['--unshare-user', '--uid', String(SANDBOX_UID), '--gid', String(SANDBOX_UID)];
const OTHER_NAMESPACES = [
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--hostname',
  SANDBOX_USER,
];
const ENVIRONMENT = ['--clearenv', '--args', String(ENVIRONMENT_FD)];

/** The whole command line, beginning with `bwrap`. */
export function buildBubblewrapCommand(options: BubblewrapOptions): string[] {
  const life = options.sandbox === undefined ? ['--die-with-parent'] : ['--new-session'];
  const view = [...OTHER_NAMESPACES, ...buildMounts(options), ...life, '--cap-drop', 'ALL'];
  const place = options.sandbox === undefined ? [] : ['--chdir', SANDBOX_HOME];
  return options.isRoot
    ? ['bwrap', ...view, ...buildDescent(), ...place, '--', ...options.command]
    : ['bwrap', ...ENVIRONMENT, ...USER_NAMESPACE, ...view, ...place, '--', ...options.command];
}

/**
 * From root to the sandbox's user. In a user namespace alone, root's sandboxes would still own root's files and every
 * writable setting in /proc/sys; so the identity itself is given up, before anything of the request takes effect.
 */
function buildDescent(): string[] {
  return [
    ...['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((name) => ['--cap-add', name]),
    '--',
    'setpriv',
    ...['--reuid', String(SANDBOX_UID), '--regid', String(SANDBOX_UID), '--clear-groups'],
    ...['--inh-caps=-all', '--bounding-set=-all', '--'],
    'bwrap',
    ...ENVIRONMENT,
    ...USER_NAMESPACE,
    ...['--dev-bind', '/', '/'],
  ];
}

function buildMounts(options: BubblewrapOptions): string[] {
  const { sandbox, readablePaths = [] } = options;
  return [
    ...buildSystemMounts(options.system),
    ...readablePaths.flatMap((path) => [
      ...listParents(path, options.system).flatMap((parent) => ['--dir', parent]),
      ...['--ro-bind-try', path, path],
    ]),
    ...buildHostMounts(options),
    ...(sandbox === undefined ? [] : buildSandboxMounts(sandbox)),
    ...['--remount-ro', '/run', '--remount-ro', '/'],
  ];
}

/** Directories above a path that are not part of the system's, from the top down. */
function listParents(path: string, { rootEntries }: SystemView): string[] {
  const parts = path.split('/').slice(1, -1);
  return parts
    .map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)
    .filter((parent) => !rootEntries.some((entry) => `${parent}/`.startsWith(`${entry.path}/`)));
}

function buildSystemMounts({ rootEntries, maskedPaths }: SystemView): string[] {
  return [
    ...rootEntries.flatMap(({ path, linkTo }) =>
      linkTo === null ? ['--ro-bind', path, path] : ['--symlink', linkTo, path],
    ),
    ...['--proc', '/proc', '--dev', '/dev', '--perms', '1777', '--tmpfs', '/dev/shm'],
    ...['--perms', '1777', '--tmpfs', '/tmp', '--tmpfs', '/run'],
    ...['--dir', '/var', '--perms', '1777', '--tmpfs', '/var/tmp', '--symlink', '/run', '/var/run'],
    ...['--dir', '/etc', ...ETC_PATHS.flatMap((path) => ['--ro-bind-try', path, path])],
    ...maskedPaths.flatMap((path) => ['--tmpfs', path]),
    // Parents that bubblewrap makes by itself are closed to everyone but their owner: all are made here.
    ...['--dir', '/home', '--dir', '/opt', '--dir', INSIDE.root, '--dir', INSIDE.bin],
  ];
}

/** Node.js, the host and its compiled code. */
function buildHostMounts({
  nodePath,
  hostBundle,
  compileCache,
  isCacheWritable,
}: BubblewrapOptions): string[] {
  // A cache that somebody cleared meanwhile must not fail a launch.
  const cacheFlag = isCacheWritable === true ? '--bind-try' : '--ro-bind-try';
  return [
    ...['--ro-bind', nodePath, INSIDE.node, '--ro-bind', dirname(hostBundle), INSIDE.host],
    ...(compileCache === null ? [] : [cacheFlag, compileCache, INSIDE.compileCache]),
  ];
}

function buildSandboxMounts({ home, identity }: Pick<SandboxPaths, 'home' | 'identity'>): string[] {
  return [
    ...['--ro-bind', identity.passwd, '/etc/passwd'],
    ...['--ro-bind', identity.group, '/etc/group'],
    ...['--ro-bind', identity.hosts, '/etc/hosts'],
    ...['--bind', home, SANDBOX_HOME],
  ];
}

/** What is written to {@link ENVIRONMENT_FD}: the environment of the command inside. */
export function buildEnvironmentArguments(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => `--setenv\0${name}\0${value}\0`)
    .join('');
}
