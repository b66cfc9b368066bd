/** A server whose sandboxes are a crowd: `STATE_DIRECTORY TOKEN` → one line of JSON with its URL. Ends with SIGTERM. */
import { join } from 'node:path';
import { createLogger, startServer } from '@omnigent/server';
import { systemClock, systemRandomBytes } from '@omnigent/protocol';
import { CrowdLauncher } from './crowd-launcher.ts';

const [stateDirectory = '', token = ''] = process.argv.slice(2);
const launcher = new CrowdLauncher(stateDirectory);
const server = await startServer({
  settings: {
    stateDirectory,
    listen: { address: '127.0.0.1', port: 0 },
    url: undefined,
    tokenFile: undefined,
    databaseUrl: `sqlite:${join(stateDirectory, 'omnigent.sqlite')}`,
    previewDomain: undefined,
    instance: 'crowd',
    isEmbedded: false,
    defaultProvider: 'local',
    lifetimeSeconds: 3600,
    idleTimeoutSeconds: null,
    onlineTimeoutMs: 60_000,
    providers: { kubernetes: undefined, local: undefined },
  },
  instance: 'crowd',
  token,
  launchers: { get: async () => launcher, close: async () => await launcher.close() },
  logger: createLogger(join(stateDirectory, 'server.log')),
  clock: systemClock,
  randomBytes: systemRandomBytes,
});
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`);
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)));
