/** Makes a folder hold exactly the given files, so that a process which reads it meanwhile finds each file whole. */
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A file with its absolute path. */
export interface NewFile {
  readonly path: string;
  readonly contents: Uint8Array;
}

/** Writes what differs, each file by a rename, then removes what is not among the files. */
export async function replaceFolder(folder: string, files: readonly NewFile[]): Promise<void> {
  await Promise.all(files.map((file) => replaceFile(file)));
  const kept = new Set(files.map(({ path }) => path));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const stale = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !kept.has(path));
  await Promise.all(stale.map((path) => rm(path, { force: true })));
}

async function replaceFile({ path, contents }: NewFile): Promise<void> {
  const present = await readFile(path).catch(() => undefined);
  if (present?.equals(contents) === true) return;
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.new`;
  await writeFile(temporary, contents);
  await rename(temporary, path);
}
