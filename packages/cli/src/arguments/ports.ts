/** Ports of the command line. Pure. */
import { SandboxError } from '@omnigent/protocol';

/** A port of this machine and the port of the sandbox that it leads to. */
export interface PortPair {
  /** 0: any that is free. */
  readonly local: number;
  readonly remote: number;
}

const MAX_PORT = 65_535;

/** `[LOCAL:]REMOTE`. @throws SandboxError `usage`. */
export function parsePortPair(text: string): PortPair {
  const [, local, remote = ''] = /^(?:(\d{0,5}):)?(\d{1,5})$/.exec(text) ?? [];
  const pair = { local: Number(local ?? remote), remote: Number(remote) };
  const isGood = remote !== '' && pair.remote >= 1 && pair.remote <= MAX_PORT && pair.local <= MAX_PORT;
  if (isGood) return pair;
  throw new SandboxError(
    'usage',
    `expected a port such as 8080, 3000:8080 or :8080 for any free one, found ${JSON.stringify(text)}`,
  );
}

/** A port of the sandbox. @throws SandboxError `usage`. */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= MAX_PORT) return port;
  throw new SandboxError('usage', `expected a port such as 8080, found ${JSON.stringify(text)}`);
}
