/**
 * Where the compiled code of the host is kept between launches: Node.js then starts it in half the time. Sandboxes see
 * it read-only, so that none can reach another through it; the probe of the isolation fills it, once per bundle.
 */
import { chown, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { SANDBOX_UID } from '@omnigent/protocol';

/** Versions of the host whose compiled code is kept. */
const KEPT_VERSIONS = 4;

type Environment = Readonly<Record<string, string | undefined>>;

/** A directory of compiled code. */
export interface CompileCache {
  readonly directory: string;
  readonly isFilled: boolean;
}

export interface CompileCacheOptions {
  readonly hostBundle: string;
  readonly environment: Environment;
  /** Whether sandboxes run as another user than the launcher. */
  readonly isRoot: boolean;
}

/** Finds or makes the directory of a bundle; null where it cannot be had, and launches work without. */
export async function openCompileCache(options: CompileCacheOptions): Promise<CompileCache | null> {
  const { hostBundle, isRoot } = options;
  try {
    const { size, mtimeMs } = await stat(hostBundle);
    const name = `host-${isRoot ? 'root-' : ''}${size}-${Math.trunc(mtimeMs)}`;
    const parent = join(resolveCacheDirectory(options.environment), 'omnigent');
    const directory = join(parent, name);
    const isNew = (await mkdir(directory, { recursive: true, mode: 0o700 })) !== undefined;
    if (isNew) await removeOld(parent);
    if (isRoot) await chown(directory, SANDBOX_UID, SANDBOX_UID);
    return { directory, isFilled: (await readdir(directory)).length > 0 };
  } catch {
    return null;
  }
}

/** Each version of the host has left one. A sandbox that still has an older one mounted only compiles again. */
async function removeOld(parent: string): Promise<void> {
  const names = (await readdir(parent)).filter((name) => /^host-(root-)?\d+-\d+$/.test(name));
  const found = await Promise.all(
    names.map(async (name) => ({ path: join(parent, name), made: (await stat(join(parent, name))).mtimeMs })),
  );
  const old = found.toSorted((one, other) => other.made - one.made).slice(KEPT_VERSIONS);
  await Promise.all(old.map(({ path }) => rm(path, { recursive: true, force: true })));
}

function resolveCacheDirectory(environment: Environment): string {
  const cache = environment['XDG_CACHE_HOME'];
  if (cache?.startsWith('/') === true) return cache;
  const home = environment['HOME'];
  return join(home?.startsWith('/') === true ? home : userInfo().homedir, '.cache');
}
