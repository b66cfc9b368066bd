/** The host's settings: arguments and environment, checked before anything starts. */
import { parseArgs } from 'node:util';
import {
  COMMAND_ENVIRONMENT,
  HOST_ENVIRONMENT,
  SandboxError,
  isHostId,
  toErrorMessage,
} from '@omnigent/protocol';

export interface HostSettings {
  readonly serverUrl: URL;
  readonly hostId: string;
  readonly hostName: string;
  readonly token: string;
  readonly home: string;
  /** PEM file of roots to trust beside those of the machine. */
  readonly caBundle?: string;
  readonly exitWhenUnreachableSeconds?: number;
  /** What programs inherit: the host's environment without its token. */
  readonly programEnvironment: Readonly<Record<string, string>>;
}

export const HOST_USAGE = `Usage: omnigent host --server URL [--ca-bundle FILE] [--exit-when-unreachable SECONDS]

Runs inside a sandbox: dials back to the server and supervises programs. Reads OMNIGENT_HOST_TOKEN, OMNIGENT_HOST_ID
and OMNIGENT_HOST_NAME from its environment.

--ca-bundle FILE                 extra root certificates for the server (OMNIGENT_CA_BUNDLE); --ca-file is the same
--exit-when-unreachable SECONDS  end when no server answered for so long; without it, dial for ever

HTTPS_PROXY, HTTP_PROXY and NO_PROXY say how to reach a server that is not on loopback.`;

type Environment = Readonly<Record<string, string | undefined>>;

function readArguments(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        server: { type: 'string' },
        'ca-bundle': { type: 'string' },
        'ca-file': { type: 'string' },
        'exit-when-unreachable': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    });
    return values;
  } catch (error) {
    throw new SandboxError('usage', toErrorMessage(error), { cause: error });
  }
}

export type HostArguments = ReturnType<typeof readArguments>;

/** Reads the command line. @throws SandboxError `usage`. */
export const parseHostArguments: (args: readonly string[]) => HostArguments = readArguments;

/** Combines arguments and environment. @throws SandboxError `usage` that names the option or variable. */
export function resolveSettings(values: HostArguments, environment: Environment): HostSettings {
  const seconds = values['exit-when-unreachable'];
  const caBundle = values['ca-bundle'] ?? values['ca-file'] ?? environment[COMMAND_ENVIRONMENT.caBundle];
  return {
    serverUrl: parseServerUrl(values.server),
    hostId: parseHostId(environment[HOST_ENVIRONMENT.id]),
    hostName: environment[HOST_ENVIRONMENT.name] ?? '',
    token: parseToken(environment[HOST_ENVIRONMENT.token]),
    home: environment['HOME'] ?? '/home/omnigent',
    programEnvironment: toProgramEnvironment(environment),
    ...(caBundle === undefined || caBundle === '' ? {} : { caBundle }),
    ...(seconds === undefined ? {} : { exitWhenUnreachableSeconds: parseSeconds(seconds) }),
  };
}

function parseServerUrl(text: string | undefined): URL {
  if (text === undefined) throw new SandboxError('usage', 'expected --server URL, found none');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new SandboxError(
      'usage',
      `--server: expected an http:// or https:// URL, found ${JSON.stringify(text)}`,
    );
  }
  return url;
}

function parseHostId(text: string | undefined): string {
  if (text === undefined || !isHostId(text))
    throw new SandboxError(
      'usage',
      `${HOST_ENVIRONMENT.id}: expected a host id, found ${text === undefined ? 'none' : JSON.stringify(text)}`,
    );
  return text;
}

function parseToken(text: string | undefined): string {
  if (text === undefined || text === '')
    throw new SandboxError('usage', `${HOST_ENVIRONMENT.token}: expected a launch token, found none`);
  return text;
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!Number.isFinite(seconds) || seconds <= 0) {
    throw new SandboxError(
      'usage',
      `--exit-when-unreachable: expected a number of seconds above 0, found ${JSON.stringify(text)}`,
    );
  }
  return seconds;
}

function toProgramEnvironment(environment: Environment): Record<string, string> {
  const entries = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && entry[0] !== HOST_ENVIRONMENT.token && entry[0] !== 'NODE_COMPILE_CACHE',
  );
  return Object.fromEntries(entries);
}
