/**
 * Runs a script of this repository on its own Node.js: `node scripts/with-packages.mjs SCRIPT.ts [ARGUMENT…]`.
 * Plain JavaScript that an old Node.js can read, because on a fresh clone the machine's own runs it: installs the npm
 * packages when they are missing or are not those of package-lock.json, then starts the script with the Node.js among them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
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
    .filter(([place, entry]) => place.startsWith('node_modules/') && !entry.link && !entry.optional)
    .filter(([place, entry]) => !installed[place] || installed[place].version !== entry.version)
    .map(([place]) => place.slice('node_modules/'.length));
}

function run(command, args, environment) {
  const { status, signal, error } = spawnSync(command, args, {
    cwd: root,
    // The script owns standard output; what npm says goes to standard error.
    stdio: command === 'npm' ? ['ignore', 2, 2] : 'inherit',
    env: environment,
  });
  if (error) throw error;
  return status === null ? 128 + (signal === 'SIGINT' ? 2 : 15) : status;
}

const missing = findMissingPackages();
if (missing.length > 0 || !existsSync(node)) {
  const named = missing.length > 3 ? `${missing.length} packages` : missing.join(', ') || 'node';
  console.error(`Installing npm packages (missing or another version: ${named}) …`);
  const status = run('npm', ['ci', '--loglevel=error'], process.env);
  if (status !== 0) process.exit(status);
}
const path = `${binaries}:${process.env.PATH ?? ''}`;
process.exit(run(node, ['--conditions=source', ...process.argv.slice(2)], { ...process.env, PATH: path }));
