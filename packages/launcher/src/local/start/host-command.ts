/** What the host of a local sandbox is started with; pure. */
import { HOST_ENVIRONMENT, SANDBOX_HOME, SANDBOX_USER } from '@omnigent/protocol';
import type { Isolation } from '../isolation/isolation.ts';
import { INSIDE } from '../isolation/inside.ts';
import type { SandboxPaths } from '../records/paths.ts';
import type { LaunchRequest } from '../../port/launcher.ts';

/** The host ends itself when no server answered for this long, so that a forgotten sandbox never stays. */
const UNREACHABLE_SECONDS = 600;
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Where the host finds itself. */
export interface HostPlace {
  readonly node: string;
  readonly bundle: string;
  readonly home: string;
  readonly searchPath: string;
  /** Compiled code of the host, as it sees it; null when there is none. */
  readonly compileCache: string | null;
}

export interface PlaceOptions {
  readonly nodePath: string;
  readonly hostBundle: string;
  readonly home: SandboxPaths['home'];
  /** The server's PATH: without isolation the machine's programs are where they always are. */
  readonly machinePath: string | undefined;
}

/** The place of node, bundle and home as the host sees them. */
export function toHostPlace(isolation: Isolation, options: PlaceOptions): HostPlace {
  if (isolation.kind === 'none') {
    return {
      node: options.nodePath,
      bundle: options.hostBundle,
      home: options.home,
      searchPath: options.machinePath ?? SYSTEM_PATH,
      compileCache: null,
    };
  }
  return {
    node: INSIDE.node,
    bundle: `${INSIDE.host}/main.js`,
    home: SANDBOX_HOME,
    // Programs that need a Node.js find ours when the system has none.
    searchPath: `${SYSTEM_PATH}:${INSIDE.bin}`,
    compileCache: isolation.compileCache === null ? null : INSIDE.compileCache,
  };
}

/** The command of the host; holds no secret. */
export function buildHostCommand({ node, bundle }: HostPlace, serverUrl: string): string[] {
  return [node, bundle, ...['--server', serverUrl, '--exit-when-unreachable', String(UNREACHABLE_SECONDS)]];
}

/** The host's whole environment, built from nothing: what the machine's user has in theirs stays there. */
export function buildHostEnvironment(
  place: HostPlace,
  request: Pick<LaunchRequest, 'env' | 'hostId' | 'hostName' | 'token'>,
  passthrough: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    LANG: 'C.UTF-8',
    USER: SANDBOX_USER,
    LOGNAME: SANDBOX_USER,
    SHELL: '/bin/bash',
    PATH: place.searchPath,
    ...(place.compileCache === null ? {} : { NODE_COMPILE_CACHE: place.compileCache }),
    ...passthrough,
    ...request.env,
    HOME: place.home,
    [HOST_ENVIRONMENT.isSandbox]: '1',
    [HOST_ENVIRONMENT.id]: request.hostId,
    [HOST_ENVIRONMENT.name]: request.hostName,
    [HOST_ENVIRONMENT.token]: request.token,
  };
}
