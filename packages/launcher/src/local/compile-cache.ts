/**
 * Where the compiled code of the host is kept between launches: Node.js then starts it in half the time. Sandboxes see
 * it read-only, so that none can reach another through it; the probe of the isolation fills it, once per bundle.
 */
import { mkdir, readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

export interface CompileCache {
  readonly directory: string;
  readonly isFilled: boolean;
}

/** Finds or makes the directory of a bundle; null where it cannot be had, and launches work without. */
export async function openCompileCache(
  hostBundle: string,
  environment: Environment,
): Promise<CompileCache | null> {
  try {
    const base = environment['XDG_CACHE_HOME'];
    const cache = base?.startsWith('/') === true ? base : join(homedir(), '.cache');
    const { size, mtimeMs } = await stat(hostBundle);
    const directory = join(cache, 'omnigent', `host-${size}-${Math.trunc(mtimeMs)}`);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return { directory, isFilled: (await readdir(directory)).length > 0 };
  } catch {
    return null;
  }
}
