/**
 * Where the compiled code of the host is kept between launches: Node.js then starts it in half the time. Sandboxes see
 * it read-only, so that none can reach another through it; the probe of the isolation fills it, once per bundle.
 */
import { chown, mkdir, readdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { SANDBOX_UID } from '@omnigent/protocol';

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
    const directory = join(resolveCacheDirectory(options.environment), 'omnigent', name);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    if (isRoot) await chown(directory, SANDBOX_UID, SANDBOX_UID);
    return { directory, isFilled: (await readdir(directory)).length > 0 };
  } catch {
    return null;
  }
}

function resolveCacheDirectory(environment: Environment): string {
  const cache = environment['XDG_CACHE_HOME'];
  if (cache?.startsWith('/') === true) return cache;
  const home = environment['HOME'];
  return join(home?.startsWith('/') === true ? home : userInfo().homedir, '.cache');
}
