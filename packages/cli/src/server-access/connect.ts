/** The client of the server that the flags and the environment name, or of the embedded one. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@omnigent/client';
import type { Client } from '@omnigent/client';
import { COMMAND_ENVIRONMENT, SandboxError } from '@omnigent/protocol';
import { findServer, startEmbeddedServer } from './embedded-server.ts';
import { configureNetwork } from './network.ts';
import { nodeFetch } from './node-fetch.ts';
import { resolveStateDirectory } from './state-directory.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Flags that every command which talks to a server has. */
export interface ServerFlags {
  readonly server?: string;
  readonly tokenFile?: string;
  readonly stateDir?: string;
  readonly caBundle?: string;
}

export interface ConnectOptions {
  readonly environment: Environment;
  /** Whether to start the embedded server when there is none. */
  readonly isStarting?: boolean;
  /** Called while the embedded server starts, if it has to; what it throws is thrown. */
  readonly onStarting?: () => void;
}

/** @throws SandboxError `usage`, `unauthenticated`, `server_start`, `server_unreachable`. */
export async function connect(flags: ServerFlags, options: ConnectOptions): Promise<Client> {
  const { environment, isStarting = true } = options;
  const stateDirectory = resolveStateDirectory(flags.stateDir, environment);
  const chosen = flags.server ?? environment[COMMAND_ENVIRONMENT.server];
  if (chosen !== undefined && chosen !== '') {
    const url = parseServerUrl(chosen);
    await configureNetwork(url, { caBundle: flags.caBundle, environment });
    return createClient({
      url,
      fetch: nodeFetch,
      token: await resolveToken(flags, { environment, stateDirectory }),
    });
  }
  const url =
    (await findServer(stateDirectory)) ??
    (isStarting ? await startEmbeddedServer(stateDirectory, options.onStarting) : undefined);
  if (url === undefined) throw new SandboxError('server_unreachable', `no server runs on ${stateDirectory}`);
  return createClient({ url, fetch: nodeFetch, token: await readToken(join(stateDirectory, 'token')) });
}

function parseServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new SandboxError(
      'usage',
      `--server: expected an http:// or https:// URL, found ${JSON.stringify(text)}`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new SandboxError(
      'usage',
      '--server: expected a URL without user info; give the token by OMNIGENT_TOKEN or --token-file',
    );
  }
  return url.href;
}

async function resolveToken(
  flags: ServerFlags,
  options: { readonly environment: Environment; readonly stateDirectory: string },
): Promise<string> {
  if (flags.tokenFile !== undefined) return await readToken(flags.tokenFile);
  const token = options.environment[COMMAND_ENVIRONMENT.token];
  return token === undefined || token === '' ? await readToken(join(options.stateDirectory, 'token')) : token;
}

async function readToken(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new SandboxError(
      'unauthenticated',
      `expected a token in OMNIGENT_TOKEN, --token-file or ${path}, found none`,
      { cause },
    );
  });
  return text.trim();
}
