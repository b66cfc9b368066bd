/**
 * Runs a script of this repository on its own Node.js: `node scripts/with-packages.mjs SCRIPT.ts [ARGUMENT…]`.
 * Plain JavaScript that an old Node.js can read, because on a fresh clone the machine's own runs it: installs the npm
 * packages when they are missing or are not those of package-lock.json, then starts the script with the Node.js among them.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const binaries = join(root, 'node_modules', '.bin');
const node = join(binaries, 'node');

/** The packages of a lock file by their place, or none when the file is absent. */
function readLock(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : {};
}

/** npm records what it really installed; optional packages of other platforms are not among it. */
function findMissingPackages() {
  const installed = readLock(join(root, 'node_modules', '.package-lock.json'));
  return Object.entries(readLock(join(root, 'package-lock.json')))
    .filter(([place, entry]) => place.includes('node_modules/') && !entry.link && !entry.optional)
    .filter(([place, entry]) => !installed[place] || installed[place].version !== entry.version)
    .map(([place]) => place.replace(/^.*node_modules\//, ''));
}

/** Resolves to the exit status. A Ctrl-C reaches the whole foreground group, a SIGTERM is passed on: the child decides. */
function run(command, args, { stdio, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio, env });
    const ignore = () => {};
    const forward = () => child.kill('SIGTERM');
    process.on('SIGINT', ignore);
    process.on('SIGTERM', forward);
    child.on('error', reject);
    child.on('close', (status, signal) => {
      process.off('SIGINT', ignore);
      process.off('SIGTERM', forward);
      resolve(status === null ? 128 + constants.signals[signal] : status);
    });
  });
}

const missing = findMissingPackages();
if (missing.length > 0 || !existsSync(node)) {
  const named = missing.length > 3 ? `${missing.length} packages` : missing.join(', ') || 'node';
  console.error(`Installing npm packages (missing or another version: ${named}) …`);
  // The script owns standard output; what npm says goes to standard error.
  const status = await run('npm', ['ci', '--loglevel=error'], { stdio: ['ignore', 2, 2], env: process.env });
  if (status !== 0) process.exit(status);
}
const env = { ...process.env, PATH: `${binaries}:${process.env.PATH || ''}` };
process.exit(await run(node, ['--conditions=source', ...process.argv.slice(2)], { stdio: 'inherit', env }));
