import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The TypeScript examples of a page. */
function extractExamples(markdown: string): string[] {
  return [...markdown.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
}

test('every TypeScript example of the READMEs compiles', async () => {
  const packages = await readdir(`${root}packages`);
  const pages = ['README.md', ...packages.map((name) => `packages/${name}/README.md`)];
  // Below the root, so that the packages are found as they are by a reader's own code.
  const folder = `${root}.vitest/readme-examples`;
  await mkdir(folder, { recursive: true });
  onTestFinished(() => rm(folder, { recursive: true }));
  const config = {
    extends: '../../tsconfig.json',
    compilerOptions: { noUnusedLocals: false },
    include: ['*.ts'],
  };
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify(config));
  let count = 0;
  for (const page of pages) {
    for (const code of extractExamples(await readFile(root + page, 'utf8'))) {
      await writeFile(`${folder}/example-${(count += 1)}.ts`, `// ${page}\n${code}export {};\n`);
    }
  }
  expect(count).toBeGreaterThanOrEqual(3);
  const compile = promisify(execFile)(`${root}node_modules/.bin/tsc`, ['-p', folder], { cwd: folder });
  const { stdout } = await compile.catch((error: { stdout: string }) => error);
  expect(stdout.split('\n').filter((line) => line.startsWith('example-'))).toEqual([]);
}, 120_000);
