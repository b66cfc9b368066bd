/**
 * `npm run quickstart`: the whole way in a few seconds, by the command that users call. Starts a server with a state
 * directory of its own, launches a local sandbox with this repository in it, runs a program there whose output streams,
 * and leaves nothing behind. Stages go to standard error with the seconds since the start.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startCommand, waitForSuccess } from './omnigent/start-command.ts';
import { startServer } from './omnigent/start-server.ts';
import { createStateDirectory } from './omnigent/state-directory.ts';
import { runCommand } from './test/run-command.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Counts this repository's lines package by package, with a pause so that the streaming can be seen. */
const PROGRAM = `git log -1 --format='%h %s'
for folder in packages/*; do
  printf '%-20s %6d lines\\n' "$folder" "$(git ls-files "$folder" | grep '\\.ts$' | xargs cat | wc -l)"
  sleep 0.1
done`;

function say(line: string): void {
  process.stderr.write(`${(performance.now() / 1000).toFixed(2).padStart(6)} s  ${line}\n`);
}

async function runInSandbox(stateDirectory: string): Promise<void> {
  await using server = await startServer({ stateDirectory });
  say(`server ready at ${server.url}`);
  const run = startCommand(['run', '--server', server.url, '--repo', root, '--', 'sh', '-c', PROGRAM], {
    stateDirectory,
    onProgress: say,
    onOutput: (line) => process.stdout.write(`${line}\n`),
  });
  await waitForSuccess(run, 'omnigent run');
  const left = await readdir(join(stateDirectory, 'sandboxes')).catch(() => []);
  if (left.length > 0) throw new Error(`no sandbox was expected to be left; found ${left.join(', ')}`);
  say('sandbox removed');
}

// A Ctrl-C reaches the command in the foreground, too: it ends, and what follows cleans up.
process.on('SIGINT', () => {});
const { ok } = await runCommand(['node', 'scripts/bundle.ts'], { cwd: root });
if (!ok) throw new Error('the bundles cannot be built; see above');
say('command, server and host bundled');
await using state = await createStateDirectory();
await runInSandbox(state.path);
say('server stopped, nothing left');
