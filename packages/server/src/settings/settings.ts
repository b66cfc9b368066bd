/** Flags, environment and file become one frozen object; everything wrong is found here, before anything starts. */
import { isIP } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SERVER_ENVIRONMENT, SandboxError, instanceIdSchema, toErrorMessage } from '@omnigent/protocol';
import type { ProviderName } from '@omnigent/protocol';
import { loadConfig } from './config-file.ts';
import type { Config } from './config-file.ts';
import { LOOPBACK_PREVIEWS, parsePreviewDomain } from './preview-domain.ts';
import type { PreviewDomain } from './preview-domain.ts';
import { resolveStateDirectory } from './state-directory.ts';

export interface ServerSettings {
  readonly stateDirectory: string;
  readonly listen: { readonly address: string; readonly port: number };
  /** URL that sandboxes dial; the server's own when undefined. */
  readonly url: string | undefined;
  readonly tokenFile: string | undefined;
  readonly databaseUrl: string;
  /** Where previews have their own origins; undefined: nowhere. */
  readonly previewDomain: PreviewDomain | undefined;
  /** Undefined: made once per state directory. */
  readonly instance: string | undefined;
  readonly isEmbedded: boolean;
  readonly defaultProvider: ProviderName;
  readonly lifetimeSeconds: number;
  readonly idleTimeoutSeconds: number | null;
  readonly onlineTimeoutMs: number;
  readonly providers: {
    readonly kubernetes: Config['sandbox']['kubernetes'];
    readonly local: Config['sandbox']['local'];
  };
}

export const SERVER_USAGE = `Usage: omnigent server [options]

Runs the control plane: launches sandboxes, takes their tunnels, serves the API.

  --config FILE            configuration (YAML; OMNIGENT_CONFIG)
  --listen ADDRESS:PORT    where to listen (default 127.0.0.1:0; port 0 is any free port)
  --url URL                URL that sandboxes dial (OMNIGENT_SERVER_URL; default: where it listens)
  --state-dir DIR          state directory (OMNIGENT_STATE_DIR; default: the XDG state directory)
  --database-url URL       sqlite:PATH or postgres://… (OMNIGENT_DATABASE_URL; default: SQLite in the state directory)
  --preview-domain DOMAIN  previews are names below it (OMNIGENT_PREVIEW_DOMAIN; default: localhost, on loopback)
  --token-file FILE        bearer token of the API; needed to listen on anything but loopback
  --embedded               one per state directory; ends itself when idle and empty
`;

const DEFAULT_LIFETIME_SECONDS = 24 * 3600;
const DEFAULT_ONLINE_SECONDS = 120;

type Environment = Readonly<Record<string, string | undefined>>;

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        config: { type: 'string' },
        listen: { type: 'string' },
        url: { type: 'string' },
        'state-dir': { type: 'string' },
        'database-url': { type: 'string' },
        'preview-domain': { type: 'string' },
        'token-file': { type: 'string' },
        embedded: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new SandboxError('usage', toErrorMessage(error), { cause: error });
  }
}

export type ServerArguments = ReturnType<typeof readArguments>;

/** Reads the command line. @throws SandboxError `usage`. */
export const parseServerArguments: (args: readonly string[]) => ServerArguments = readArguments;

/** @throws SandboxError `usage` or `invalid_config` that names the flag, variable or key. */
export async function resolveServerSettings(
  flags: ServerArguments,
  environment: Environment,
): Promise<ServerSettings> {
  const { server, sandbox } = await loadConfig(flags.config ?? environment[SERVER_ENVIRONMENT.config]);
  const stateDirectory = resolveStateDirectory(flags['state-dir'], environment);
  const listen = parseListen(flags.listen ?? server.listen ?? '127.0.0.1:0');
  const tokenFile = flags['token-file'] ?? server.token_file;
  if (!isLoopback(listen.address) && tokenFile === undefined) {
    throw new SandboxError(
      'invalid_config',
      `server.token_file: expected a token file to listen on ${listen.address}, found none`,
    );
  }
  if (server.instance !== undefined && !instanceIdSchema.safeParse(server.instance).success) {
    throw new SandboxError(
      'invalid_config',
      `server.instance: expected 1 to 40 of a-z 0-9 -, found ${JSON.stringify(server.instance)}`,
    );
  }
  return Object.freeze({
    stateDirectory,
    listen,
    url: parseUrl(flags.url ?? environment[SERVER_ENVIRONMENT.url] ?? server.url),
    tokenFile,
    databaseUrl:
      flags['database-url'] ??
      environment[SERVER_ENVIRONMENT.databaseUrl] ??
      server.database_url ??
      `sqlite:${join(stateDirectory, 'omnigent.sqlite')}`,
    previewDomain: resolvePreviewDomain(
      flags['preview-domain'] ?? environment[SERVER_ENVIRONMENT.previewDomain] ?? server.preview_domain,
      listen.address,
    ),
    instance: server.instance,
    isEmbedded: flags.embedded,
    defaultProvider: sandbox.provider ?? 'local',
    lifetimeSeconds: sandbox.lifetime_seconds ?? DEFAULT_LIFETIME_SECONDS,
    idleTimeoutSeconds: sandbox.idle_timeout_seconds ?? null,
    onlineTimeoutMs: (sandbox.online_timeout_seconds ?? DEFAULT_ONLINE_SECONDS) * 1000,
    providers: { kubernetes: sandbox.kubernetes, local: sandbox.local },
  });
}

function resolvePreviewDomain(text: string | undefined, address: string): PreviewDomain | undefined {
  if (text !== undefined) return parsePreviewDomain(text);
  return isLoopback(address) ? LOOPBACK_PREVIEWS : undefined;
}

/** Whether an address can be reached from this machine only. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || address.startsWith('127.');
}

function parseListen(text: string): { address: string; port: number } {
  const [, bracketed, plain, portText] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
  const address = bracketed ?? plain ?? '';
  const port = Number(portText);
  if (portText === undefined || port > 65_535 || (isIP(address) === 0 && address !== 'localhost')) {
    throw new SandboxError(
      'invalid_config',
      `--listen: expected ADDRESS:PORT, found ${JSON.stringify(text)}`,
    );
  }
  return { address, port };
}

function parseUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new SandboxError(
      'invalid_config',
      `--url: expected http:// or https:// without user info, found ${JSON.stringify(text.replace(/\/\/.*@/s, '//***@'))}`,
    );
  }
  return url.href;
}
