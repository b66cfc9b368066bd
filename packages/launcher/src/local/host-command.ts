/** What the host of a local sandbox is started with. */
import { HOST_ENVIRONMENT, SANDBOX_HOME } from '@omnigent/protocol';
import type { LaunchRequest } from '../port/launcher.ts';
import { INSIDE } from './paths.ts';

/** The host ends itself when no server answered for this long, so that a forgotten sandbox never stays. */
const UNREACHABLE_SECONDS = 600;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface HostPlace {
  readonly node: string;
  readonly bundle: string;
  readonly home: string;
  /** Compiled code of the host, as it sees it; null when there is none. */
  readonly compileCache: string | null;
}

/** The place of node, bundle and home inside an isolated sandbox. */
export const ISOLATED_PLACE: Omit<HostPlace, 'compileCache'> = {
  node: INSIDE.node,
  bundle: `${INSIDE.host}/main.js`,
  home: SANDBOX_HOME,
};

export function buildHostCommand(place: HostPlace, serverUrl: string): string[] {
  return [
    place.node,
    place.bundle,
    '--server',
    serverUrl,
    '--exit-when-unreachable',
    String(UNREACHABLE_SECONDS),
  ];
}

/** The host's whole environment, built from nothing: what the machine's user has in theirs stays there. */
export function buildHostEnvironment(place: HostPlace, request: LaunchRequest): Record<string, string> {
  return {
    LANG: 'C.UTF-8',
    USER: 'sandbox',
    LOGNAME: 'sandbox',
    SHELL: '/bin/bash',
    // Programs that need a Node.js find ours when the system has none.
    PATH: place.node === INSIDE.node ? `${PATH}:/opt/omnigent/bin` : PATH,
    ...(place.compileCache === null ? {} : { NODE_COMPILE_CACHE: place.compileCache }),
    ...request.env,
    HOME: place.home,
    [HOST_ENVIRONMENT.isSandbox]: '1',
    [HOST_ENVIRONMENT.id]: request.hostId,
    [HOST_ENVIRONMENT.name]: request.hostName,
    [HOST_ENVIRONMENT.token]: request.token,
  };
}
