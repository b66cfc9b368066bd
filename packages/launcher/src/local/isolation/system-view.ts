/** What of the machine's root directory a sandbox sees. */
import { lstat, readlink } from 'node:fs/promises';

/** A directory to bind, or a link to make again (`/bin` → `usr/bin`). */
export interface RootEntry {
  readonly path: string;
  readonly linkTo: string | null;
}

/** The read-only part of the machine that a sandbox sees. */
export interface SystemView {
  readonly rootEntries: readonly RootEntry[];
  /** Directories below those that hold private keys; sandboxes see them empty. */
  readonly maskedPaths: readonly string[];
}

const ROOT_PATHS = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/nix/store',
  '/gnu/store',
];
const SECRET_PATHS = ['/etc/ssl/private', '/etc/pki/private', '/etc/pki/tls/private'];

/** The parts of /etc that programs need; nothing that tells of the machine's users. */
export const ETC_PATHS = [
  '/etc/alternatives',
  '/etc/ca-certificates',
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
] as const;

/** Looks at the machine. */
export async function readSystemView(): Promise<SystemView> {
  const [entries, masked] = await Promise.all([
    Promise.all(ROOT_PATHS.map(readRootEntry)),
    Promise.all(SECRET_PATHS.map(isDirectory)),
  ]);
  return {
    rootEntries: entries.filter((entry) => entry !== undefined),
    maskedPaths: SECRET_PATHS.filter((_, index) => masked[index]),
  };
}

async function readRootEntry(path: string): Promise<RootEntry | undefined> {
  const facts = await lstat(path).catch(() => undefined);
  if (facts === undefined) return undefined;
  return { path, linkTo: facts.isSymbolicLink() ? await readlink(path) : null };
}

async function isDirectory(path: string): Promise<boolean> {
  return await lstat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}
