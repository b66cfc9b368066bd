/** Finds the source files that the walls are about. */
import { readFile, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { parseSourceFile } from './source-file.ts';
import type { SourceFile } from './source-file.ts';

/** One package of the repository. */
export interface WorkspacePackage {
  readonly name: string;
  /** Path of its folder from the root of the repository. */
  readonly folder: string;
  /** Third-party and own packages that its package.json lists. */
  readonly dependencies: readonly string[];
}

/** Everything the walls are checked against. */
export interface Workspace {
  readonly packages: readonly WorkspacePackage[];
  readonly files: readonly SourceFile[];
}

const manifestSchema = z.object({
  name: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
});

/** Folders beside packages/ whose files stand on top of every package. */
const OUTER_FOLDERS = ['scripts', 'test', 'bench', 'examples'];

/** Reads packages and source files below a root folder. */
export async function readWorkspace(root: string): Promise<Workspace> {
  const folders = (await listEntries(join(root, 'packages'))).filter((entry) => entry.isDirectory());
  const packages = await Promise.all(folders.map((folder) => readPackage(root, `packages/${folder.name}`)));
  const roots = [...packages.map(({ folder }) => `${folder}/src`), ...OUTER_FOLDERS];
  const paths = (await Promise.all(roots.map((folder) => listSources(join(root, folder))))).flat();
  const files = await Promise.all(
    paths.map(async (path) => parseSourceFile(relative(root, path), await readFile(path, 'utf8'))),
  );
  return { packages, files };
}

async function readPackage(root: string, folder: string): Promise<WorkspacePackage> {
  const manifest = manifestSchema.parse(
    JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')),
  );
  const dependencies = [manifest.dependencies, manifest.optionalDependencies, manifest.devDependencies];
  return { name: manifest.name, folder, dependencies: dependencies.flatMap((names) => Object.keys(names)) };
}

async function listSources(folder: string): Promise<string[]> {
  const entries = await listEntries(folder);
  const nested = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return listSources(path);
      return /\.tsx?$/.test(entry.name) ? [path] : [];
    }),
  );
  return nested.flat().toSorted();
}

async function listEntries(folder: string): ReturnType<typeof readEntries> {
  const entries = await readEntries(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  return entries.filter((entry) => entry.name !== 'node_modules' && entry.name !== 'dist');
}

function readEntries(folder: string) {
  return readdir(folder, { withFileTypes: true });
}
