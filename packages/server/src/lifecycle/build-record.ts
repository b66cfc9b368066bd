/** The record of a new sandbox. Pure: what the server decides comes as arguments. */
import { buildId } from '@omnigent/protocol';
import type { CreateSandbox, ProviderName, RandomBytes } from '@omnigent/protocol';
import type { SandboxRecord } from '../store/sandbox-record.ts';
import { toDigest } from '../tunnel/token.ts';

export interface RecordFacts {
  readonly request: CreateSandbox;
  readonly owner: string;
  readonly provider: ProviderName;
  /** The server's own. */
  readonly instance: string;
  /** The launch token; only its digest goes into the record. */
  readonly token: string;
  readonly now: number;
  readonly randomBytes: RandomBytes;
  /** The server's, where the request says nothing. */
  readonly lifetimeSeconds: number;
  readonly idleTimeoutSeconds: number | null;
}

/** The token lives a little longer than the sandbox, so that the end is never a refused reconnect. */
const TOKEN_SLACK_MS = 10 * 60 * 1000;

/** What people will recognise the sandbox by: its name, its repository, else its id. */
function toHostName({ name, repositories }: CreateSandbox, id: string): string {
  const path = repositories[0]?.replace(/#.*$/, '').split(/[/:]/).at(-1);
  return name ?? path?.replace(/\.git$/, '') ?? id;
}

export function buildRecord(facts: RecordFacts): SandboxRecord {
  const { request, owner, provider, token, now, randomBytes } = facts;
  const id = buildId('s', randomBytes);
  const lifetimeSeconds = request.lifetime_seconds ?? facts.lifetimeSeconds;
  const expiresAt = now + lifetimeSeconds * 1000;
  return {
    id,
    owner,
    name: request.name ?? null,
    hostId: buildId('h', randomBytes),
    provider,
    createdAt: now,
    deletingAt: null,
    expiresAt,
    revision: 0,
    document: {
      request,
      operatingMode: 'Running',
      hostName: toHostName(request, id),
      ...(provider === 'local' ? { installation: facts.instance } : {}),
      providerId: null,
      workspace: null,
      conditions: [],
      stages: [],
      diagnosis: null,
      tokens: { current: toDigest(token), next: null, kind: 'launch', expiresAt: expiresAt + TOKEN_SLACK_MS },
      host: { version: null, bootId: null, capabilities: [] },
      lifetimeSeconds,
      idleTimeoutSeconds: request.idle_timeout_seconds ?? facts.idleTimeoutSeconds,
      updatedAt: now,
    },
  };
}
