/**
 * Launches one sandbox in a process of its own, so that tests can run it as another user and kill it.
 * `launch-script.ts STATE_DIRECTORY REQUEST_JSON [REPOSITORY]`; prints the id before the start, and `started` after.
 */
import { systemClock } from '@omnigent/protocol';
import { buildRequest, openLauncher } from './machine.ts';

const [stateDirectory = '', text = '{}', repository] = process.argv.slice(2);
const { script, hostId } = JSON.parse(text) as { script: string; hostId: string };
const launcher = await openLauncher(stateDirectory, { config: { isolation: 'bubblewrap' } });
const signal = AbortSignal.timeout(60_000);
const id = await launcher.provision('test', { signal });
process.stdout.write(`${id}\n`);
const repositories = repository === undefined ? [] : [{ url: repository, directory: 'clone' }];
await launcher.startHost(id, buildRequest(script, { hostId, repositories }), {
  signal,
  onStage: () => undefined,
});
process.stdout.write('started\n');
await systemClock.sleep(60_000);
