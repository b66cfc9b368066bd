/** What is known of a local sandbox on the disk: written before anything is started, completed when it runs. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import * as z from 'zod';

const sandboxFileSchema = z.object({
  instance: z.string(),
  host_id: z.string(),
  created_at: z.number(),
  isolation: z.enum(['bubblewrap', 'none']),
  /** The started process and its start time; null until it runs. */
  process: z.object({ pid: z.int(), start_time: z.string() }).nullable(),
});
export type SandboxFile = z.infer<typeof sandboxFileSchema>;

/** Writes the file whole or not at all. */
export async function writeSandboxFile(path: string, file: SandboxFile): Promise<void> {
  const partial = `${path}.partial`;
  await writeFile(partial, JSON.stringify(file), { mode: 0o600 });
  await rename(partial, path);
}

/** Reads the file; undefined when there is none that can be read. */
export async function readSandboxFile(path: string): Promise<SandboxFile | undefined> {
  try {
    return sandboxFileSchema.safeParse(JSON.parse(await readFile(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}
