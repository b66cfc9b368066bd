/** One keep-alive agent for all requests; a new one only when the TLS material changes (a client certificate was rotated). */
import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { SecureContextOptions } from 'node:tls';

/** What a TLS connection to the API server is made with. */
export interface TlsMaterial {
  readonly ca?: SecureContextOptions['ca'];
  readonly cert?: SecureContextOptions['cert'];
  readonly key?: SecureContextOptions['key'];
  readonly servername?: string | undefined;
  readonly rejectUnauthorized?: boolean | undefined;
}

/** Sockets of one server process to the API server: enough for a burst of launches, too few to trouble a proxy. */
const MAX_SOCKETS = 32;
/** Idle sockets go before the API server (90 s) or a load balancer (60 s) drops them in silence. */
const IDLE_MS = 45_000;

const AGENT_OPTIONS = {
  keepAlive: true,
  keepAliveMsecs: 15_000,
  maxSockets: MAX_SOCKETS,
  maxFreeSockets: MAX_SOCKETS,
  timeout: IDLE_MS,
} as const;

/** Node's own type wants every TLS option to be absent rather than undefined. */
function omitUndefined(material: TlsMaterial): https.AgentOptions {
  return Object.fromEntries(Object.entries(material).filter(([, value]) => value !== undefined));
}

function toKey(material: TlsMaterial): string {
  return createHash('sha256').update(JSON.stringify(material)).digest('base64');
}

export interface AgentPool {
  /** The agent for this material. */
  get(material: TlsMaterial): http.Agent;
  /** Destroys the sockets that wait for a request. */
  dropIdle(): void;
  /** Destroys every socket, also those in use. */
  close(): void;
}

/** An agent pool for one API server. */
export function createAgentPool(server: URL): AgentPool {
  let current: { readonly key: string; readonly agent: http.Agent } | null = null;
  const agents = new Set<http.Agent>();
  const create = (material: TlsMaterial): http.Agent =>
    server.protocol === 'http:'
      ? new http.Agent(AGENT_OPTIONS)
      : new https.Agent({ ...AGENT_OPTIONS, ...omitUndefined(material) });
  return {
    get(material) {
      const key = toKey(material);
      if (current?.key === key) return current.agent;
      // Requests under way keep the old agent's sockets; its idle ones time out.
      current = { key, agent: create(material) };
      agents.add(current.agent);
      return current.agent;
    },
    dropIdle() {
      for (const socket of Object.values(current?.agent.freeSockets ?? {}).flat()) socket?.destroy();
    },
    close() {
      for (const agent of agents) agent.destroy();
      agents.clear();
      current = null;
    },
  };
}
