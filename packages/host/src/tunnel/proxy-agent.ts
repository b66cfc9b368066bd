/** Proxies of the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), never for loopback. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

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
  const proxyEnv = { ...environment };
  return url.protocol === 'https:' ? new HttpsAgent({ proxyEnv }) : new HttpAgent({ proxyEnv });
}
