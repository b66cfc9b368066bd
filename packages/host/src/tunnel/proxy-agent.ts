/** Proxies of the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), never for loopback. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { ConnectAgent } from './connect-agent.ts';

type Environment = Readonly<Record<string, string | undefined>>;

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

function readProxy(environment: Environment, protocol: string): string | undefined {
  const name = protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  return environment[name] ?? environment[name.toUpperCase()];
}

/** The agent that goes through the proxy meant for this URL; undefined when there is none. */
export function createProxyAgent(url: URL, environment: Environment): HttpAgent | undefined {
  const proxy = readProxy(environment, url.protocol);
  if (proxy === undefined || proxy === '' || isLoopback(url.hostname)) return undefined;
  if (url.protocol === 'https:') return new HttpsAgent({ proxyEnv: { ...environment } });
  const excluded = environment['no_proxy'] ?? environment['NO_PROXY'] ?? '';
  return isExcluded(url, excluded) ? undefined : new ConnectAgent(new URL(proxy));
}

/** Whether NO_PROXY names the host: itself, a domain above it, or `*`; a port restricts an entry. */
function isExcluded({ hostname, port }: URL, excluded: string): boolean {
  return excluded
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, name = '', entryPort] = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry) ?? [];
      if (entryPort !== undefined && entryPort !== (port || '80')) return false;
      return name === '*' || hostname === name || hostname.endsWith(`.${name}`);
    });
}
