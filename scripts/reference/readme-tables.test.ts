import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const root = fileURLToPath(new URL('../../packages/', import.meta.url));
const packages = await readdir(root);

const manifestSchema = z.object({
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

/** Names in backquotes in the first column of the table below a heading row. */
function readColumn(markdown: string, heading: RegExp): string[] {
  const [, rest = ''] = markdown.split(heading);
  const [table = ''] = rest.split('\n\n');
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
}

describe.each(packages)('the README of %s', async (name) => {
  const readme = await readFile(`${root}${name}/README.md`, 'utf8');

  test('has every folder of its sources and no other', async () => {
    const entries = await readdir(`${root}${name}/src`, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => `${entry.name}/`);
    const named = readColumn(readme, /^\| folder +\|.*\n/m).filter((entry) => entry.endsWith('/'));
    expect(named.toSorted()).toEqual(folders.toSorted());
  });

  test('says why it has each third-party dependency', async () => {
    const manifest = manifestSchema.parse(JSON.parse(await readFile(`${root}${name}/package.json`, 'utf8')));
    const all = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
    const external = all.filter((dependency) => !dependency.startsWith('@omnigent/'));
    expect(readColumn(readme, /^\| dependency +\|.*\n/m).toSorted()).toEqual(external.toSorted());
  });
});
