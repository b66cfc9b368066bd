/** Every sandbox of an installation that left a trace on the disk. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProviderObject } from '../port/launcher.ts';
import { RECORD_NAME, toProviderId, toSandboxesDirectory } from './records/paths.ts';
import { readSandboxFile } from './records/sandbox-file.ts';

export interface ListOptions {
  readonly stateDirectory: string;
  readonly instance: string;
  readonly signal: AbortSignal;
}

/** Yields each sandbox once, also half-made and half-removed ones. */
export async function* listSandboxes(options: ListOptions): AsyncGenerator<ProviderObject> {
  const directory = toSandboxesDirectory(options.stateDirectory);
  const seen = new Set<string>();
  for (const name of await readNames(directory)) {
    options.signal.throwIfAborted();
    const providerId = toProviderId(name);
    if (providerId === undefined || seen.has(providerId)) continue;
    const found = await readObject(join(directory, name), { providerId, instance: options.instance });
    if (found === undefined) continue;
    seen.add(providerId);
    yield found;
  }
}

async function readNames(directory: string): Promise<string[]> {
  return await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

async function readObject(
  path: string,
  { providerId, instance }: { readonly providerId: string; readonly instance: string },
): Promise<ProviderObject | undefined> {
  const file = await readSandboxFile(join(path, RECORD_NAME));
  if (file !== undefined)
    return file.instance === instance
      ? { providerId, hostId: file.host_id, createdAt: file.created_at }
      : undefined;
  // A start that crashed before its record, or a removal that crashed after it.
  const facts = await stat(path).catch(() => undefined);
  return facts === undefined ? undefined : { providerId, hostId: null, createdAt: facts.ctimeMs };
}
