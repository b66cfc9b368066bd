/** A local sandbox with a server of its own, driven by the SDK. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@omnigent/client';
import type { SandboxHandle } from '@omnigent/client';
import { startServer } from '../../scripts/omnigent/start-server.ts';
import { createStateDirectory } from '../../scripts/omnigent/state-directory.ts';

/** A sandbox that is ready; everything is gone when it is disposed. */
export interface OpenSandbox extends AsyncDisposable {
  readonly sandbox: SandboxHandle;
  /** Variables by which the command finds the server. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts a server and launches a sandbox without a repository. */
export async function openSandbox(): Promise<OpenSandbox> {
  await using resources = new AsyncDisposableStack();
  const state = resources.use(await createStateDirectory());
  const server = resources.use(await startServer({ stateDirectory: state.path }));
  const token = (await readFile(join(state.path, 'token'), 'utf8')).trim();
  const sandbox = resources.use(await createClient({ url: server.url, token }).launch({ provider: 'local' }));
  const owned = resources.move();
  const environment = { OMNIGENT_STATE_DIR: state.path, OMNIGENT_SERVER: server.url };
  return { sandbox, environment, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
