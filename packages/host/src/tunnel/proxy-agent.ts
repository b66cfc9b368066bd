/** Proxies of the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), never for loopback. */
import type { Agent } from 'node:http';
import { SandboxError } from '@omnigent/protocol';
import { ConnectAgent } from './connect-agent.ts';
import { isExcluded } from './no-proxy.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Makes the agent of one dial; what it has under way ends with the signal. */
export type CreateAgent = (signal: AbortSignal) => Agent;

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

function readProxy(environment: Environment, protocol: string): URL | undefined {
  const name = protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const variable = environment[name] === undefined ? name.toUpperCase() : name;
  const text = environment[variable] ?? '';
  if (text === '') return undefined;
  // A name without a scheme is what other programs take, too.
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  // The text may hold a password.
  throw new SandboxError('usage', `${variable}: expected an http:// or https:// URL, found something else`);
}

/**
 * The agents that go through the proxy meant for this URL; undefined when there is none.
 *
 * @throws SandboxError `usage` that names the variable.
 */
export function createProxyAgents(url: URL, environment: Environment): CreateAgent | undefined {
  if (isLoopback(url.hostname)) return undefined;
  const proxy = readProxy(environment, url.protocol);
  if (proxy === undefined) return undefined;
  if (isExcluded(url, environment['no_proxy'] ?? environment['NO_PROXY'] ?? '')) return undefined;
  return (signal) => new ConnectAgent({ proxy, isSecure: url.protocol === 'https:', signal });
}
