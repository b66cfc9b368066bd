/**
 * `npm run build:packages`: emits JavaScript and declarations of the libraries into their dist folders, for publishing, and
 * imports each as a stranger would. In this repository nothing reads them: everything runs from the sources.
 */
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runCommand } from './test/run-command.ts';

/** Libraries in an order in which each finds those that it imports already built. */
const LIBRARIES = ['protocol', 'launcher', 'host', 'server', 'client'];

const root = fileURLToPath(new URL('..', import.meta.url));

async function build(name: string): Promise<void> {
  await rm(`${root}packages/${name}/dist`, { recursive: true, force: true });
  const { ok } = await runCommand(['tsc', '-p', `packages/${name}/tsconfig.build.json`], { cwd: root });
  if (!ok) throw new Error(`${name} cannot be built`);
  const load = `await import('@omnigent/${name}')`;
  const imported = await runCommand(['node', '--input-type=module', '-e', load], { cwd: root });
  if (!imported.ok) throw new Error(`@omnigent/${name} was built and cannot be imported`);
}

for (const name of LIBRARIES) await build(name);
