/** What is known of a local sandbox on the disk: written before anything is started, completed when it runs. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import * as z from 'zod';

const sandboxFileSchema = z.object({
  instance: z.string(),
  host_id: z.string(),
  created_at: z.number(),
  isolation: z.enum(['bubblewrap', 'none']),
  /**
   * The started process: with start time (clock ticks since boot) and boot id a pid cannot be confused with a later
   * process of the same number. Null until it runs.
   */
  process: z.object({ pid: z.int(), start_time: z.string(), boot_id: z.string() }).nullable(),
});

/** The record of a local sandbox. */
export type SandboxFile = z.infer<typeof sandboxFileSchema>;

/** Writes the record whole or not at all. */
export async function writeSandboxFile(path: string, file: SandboxFile): Promise<void> {
  const partial = `${path}.partial`;
  await writeFile(partial, JSON.stringify(file), { mode: 0o600 });
  await rename(partial, path);
}

/** Reads a record; undefined when there is none, or none that is whole: then nothing was ever started for it. */
export async function readSandboxFile(path: string): Promise<SandboxFile | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return '';
    throw error;
  });
  try {
    return sandboxFileSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
