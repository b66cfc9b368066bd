import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { renderBreach } from './breach.ts';
import { checkWorkspace } from './check-workspace.ts';
import { findSizeBreaches } from './find-size-breaches.ts';
import { parseSourceFile } from './source-file.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'walls-'));
  await write('packages/protocol/package.json', manifest('@omnigent/protocol', ['zod']));
  await write(
    'packages/launcher/package.json',
    manifest('@omnigent/launcher', ['@omnigent/protocol', 'yaml']),
  );
  await write('packages/client/package.json', manifest('@omnigent/client', ['@omnigent/protocol']));
  await write('packages/host/package.json', manifest('@omnigent/host', ['@omnigent/protocol', 'ws']));
  await write('packages/protocol/src/index.ts', "export * from './a.ts';\n");
  await write('packages/protocol/src/a.ts', "import { z } from 'zod';\nexport const a = z.string();\n");
});

afterEach(() => rm(root, { recursive: true, force: true }));

function manifest(name: string, dependencies: readonly string[]): string {
  return JSON.stringify({
    name,
    dependencies: Object.fromEntries(dependencies.map((key) => [key, '1.0.0'])),
  });
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

async function check(): Promise<string[]> {
  return (await checkWorkspace(root, [])).breaches.map((breach) => renderBreach(breach));
}

describe('imports', () => {
  test('that keep to the table are accepted', async () => {
    await write(
      'packages/launcher/src/x.ts',
      "import 'node:fs';\nimport '@omnigent/protocol';\nimport 'yaml';\n",
    );
    await write('test/integration/x.test.ts', "import '@omnigent/launcher';\nimport './y.ts';\n");
    await expect(checkWorkspace(root, [])).resolves.toMatchObject({ files: 4, imports: 7, breaches: [] });
  });

  test.each([
    ['a package that the table does not allow', "import '@omnigent/launcher';", 'imports @omnigent/launcher'],
    ['a type of it', "import type { A } from '@omnigent/launcher';", 'imports @omnigent/launcher'],
    ['it by re-export', "export { a } from '@omnigent/launcher';", 'imports @omnigent/launcher'],
    ['it later', "await import('@omnigent/launcher');", 'imports @omnigent/launcher'],
    ['it inside a type', "type A = import('@omnigent/launcher').A;", 'imports @omnigent/launcher'],
    ['the source of another package', "import '@omnigent/protocol/src/a.ts';", 'allowed: @omnigent/protocol'],
    ['another package by its path', "import '../../protocol/src/a.ts';", 'another package by its name'],
    ['itself by name', "import '@omnigent/host';", 'imports its own package'],
    ['a third-party package beyond its wall', "import 'yaml';", 'may import ws, @lydell/node-pty'],
    ['the testkit outside of a test', "import '@omnigent/testkit';", 'imports @omnigent/testkit'],
  ])('of %s are a breach with file, line and what is allowed', async (_, statement, message) => {
    await write('packages/testkit/package.json', manifest('@omnigent/testkit', []));
    await write('packages/host/src/x.ts', `import 'ws';\n${statement}\n`);
    const breaches = await check();
    expect(breaches).toHaveLength(1);
    expect(breaches[0]).toMatch(/^packages\/host\/src\/x\.ts:2 /);
    expect(breaches[0]).toContain(message);
  });

  test('of the testkit and of the test runner are accepted in a test', async () => {
    await write('packages/testkit/package.json', manifest('@omnigent/testkit', []));
    await write('packages/host/src/x.test.ts', "import 'vitest';\nimport '@omnigent/testkit';\n");
    expect(await check()).toEqual([]);
  });

  test.each(['protocol', 'client'])('of Node.js are a breach in %s, but not in its tests', async (name) => {
    await write(`packages/${name}/src/x.ts`, "import 'node:fs';\n");
    await write(`packages/${name}/src/y.ts`, "import 'fs/promises';\n");
    await write(`packages/${name}/src/x.test.ts`, "import 'node:fs';\n");
    expect(await check()).toEqual([
      expect.stringContaining(`packages/${name}/src/x.ts:1 imports node:fs`),
      expect.stringContaining(`packages/${name}/src/y.ts:1 imports fs/promises`),
    ]);
  });

  test('of a package by path are a breach in scripts', async () => {
    await write('scripts/x.ts', "import '../packages/protocol/src/a.ts';\n");
    expect(await check()).toEqual([
      expect.stringContaining('scripts/x.ts:1 imports packages/protocol/src/a.ts'),
    ]);
  });
});

describe('cycles', () => {
  test('between files are a breach, types included', async () => {
    await write('packages/protocol/src/b.ts', "import type { C } from './c.ts';\n");
    await write('packages/protocol/src/c.ts', "export { b } from './b.ts';\n");
    expect(await check()).toEqual([expect.stringContaining('b.ts → packages/protocol/src/c.ts → ')]);
  });

  test('that close over import() are none', async () => {
    await write('packages/protocol/src/b.ts', "await import('./c.ts');\n");
    await write('packages/protocol/src/c.ts', "import './b.ts';\n");
    expect(await check()).toEqual([]);
  });

  test('between packages are a breach', async () => {
    await write('packages/protocol/src/b.ts', "import '@omnigent/launcher';\n");
    await write('packages/launcher/src/b.ts', "import '@omnigent/protocol';\n");
    expect(await check()).toContainEqual(expect.stringContaining('is part of a cycle of packages'));
  });
});

describe('sizes', () => {
  const lines = (count: number): string => Array.from({ length: count }, (_, i) => `  f(${i});\n`).join('');

  test('above the limits are a breach', async () => {
    await write('packages/protocol/src/b.ts', lines(251));
    await write(
      'packages/protocol/src/c.ts',
      `const f = () => {\n${lines(49)}};\nfunction g(a, b, c, d) {}\n`,
    );
    expect(await check()).toEqual([
      'packages/protocol/src/b.ts:1 has 251 lines of code; allowed: 250',
      'packages/protocol/src/c.ts:1 function f has 51 lines of code; allowed: 50',
      'packages/protocol/src/c.ts:52 function g has 4 parameters; allowed: 3, then an options object',
    ]);
  });

  test('do not count blank lines and comments', async () => {
    await write('packages/protocol/src/b.ts', `/*\n${lines(9)}*/\n// x\n\n${lines(250)}`);
    expect(await check()).toEqual([]);
  });
});

test('a file that cannot be parsed is named', async () => {
  await write('packages/protocol/src/b.ts', 'const = ;\n');
  await expect(check()).rejects.toThrow(/packages\/protocol\/src\/b\.ts cannot be parsed/);
});

test('assertions through unknown are a breach, also over several lines', async () => {
  await write('packages/protocol/src/b.ts', 'const a = 1;\nconst b = {\n  a,\n} as unknown as string;\n');
  await write('packages/protocol/src/c.ts', 'const c = JSON.parse(text) as unknown;\n');
  expect(await check()).toEqual([
    expect.stringContaining('packages/protocol/src/b.ts:2 asserts through unknown'),
  ]);
});

describe('exemptions', () => {
  const file = parseSourceFile('packages/protocol/src/table.ts', Array(260).fill('f();').join('\n'));
  const exemption = { path: file.path, subject: '*', reason: 'a table' };

  test('excuse what they name', () => {
    expect(findSizeBreaches([file], [])).toHaveLength(1);
    expect(findSizeBreaches([file], [exemption])).toEqual([]);
  });

  test('that nothing needs are a breach', () => {
    expect(findSizeBreaches([], [exemption])).toEqual([expect.objectContaining({ path: file.path })]);
  });
});
