/** What the server keeps of a sandbox, and how it looks from outside. */
import { toIsoTime } from '@omnigent/protocol';
import type {
  Condition,
  CreateSandbox,
  Diagnosis,
  PrepareWorkspace,
  ProviderName,
  Sandbox,
  StageRecord,
} from '@omnigent/protocol';

/** The token by which the host proves itself: only SHA-256 digests, hex. */
export interface TokenDigests {
  readonly current: string;
  /** Handed to the host but not yet acknowledged. */
  readonly next: string | null;
  /** The launch token opens the first connection only. */
  readonly kind: 'launch' | 'connection';
  readonly expiresAt: number;
}

/** Changes with every observation; stored as one JSON document. */
export interface SandboxDocument {
  readonly request: CreateSandbox;
  readonly operatingMode: 'Running' | 'Suspended';
  readonly hostName: string;
  /** The installation whose machine it is on; absent where any server that shares the database can reach it. */
  readonly installation?: string;
  readonly providerId: string | null;
  readonly workspace: string | null;
  /** What is still to be asked of the host; null when the workspace is made; undefined before the host runs. */
  readonly prepare?: PrepareWorkspace | null;
  readonly conditions: readonly Condition[];
  readonly stages: readonly StageRecord[];
  readonly diagnosis: Diagnosis | null;
  readonly tokens: TokenDigests | null;
  readonly host: {
    readonly version: string | null;
    readonly bootId: string | null;
    readonly capabilities: readonly string[];
    /** Its newest connection, to whichever process. */
    readonly connectionId?: string;
  };
  readonly lifetimeSeconds: number;
  readonly idleTimeoutSeconds: number | null;
  readonly updatedAt: number;
}

export interface SandboxRecord {
  readonly id: string;
  readonly owner: string;
  readonly name: string | null;
  readonly hostId: string;
  readonly provider: ProviderName;
  readonly createdAt: number;
  readonly deletingAt: number | null;
  readonly expiresAt: number;
  readonly revision: number;
  readonly document: SandboxDocument;
}

/** The resource of the public API; tokens and environment values stay inside. */
export function toSandbox(record: SandboxRecord, isConnected: boolean): Sandbox {
  const { document } = record;
  return {
    id: record.id,
    name: record.name,
    owner: record.owner,
    provider: record.provider,
    operating_mode: document.operatingMode,
    conditions: [...document.conditions],
    host_id: record.hostId,
    host_name: document.hostName,
    provider_id: document.providerId,
    workspace: document.workspace,
    repositories: document.request.repositories,
    agent: document.request.agent ?? null,
    labels: document.request.labels,
    stage: document.stages.at(-1)?.stage ?? null,
    stages: [...document.stages],
    diagnosis: document.diagnosis,
    host: {
      connected: isConnected,
      version: document.host.version,
      boot_id: document.host.bootId,
      capabilities: [...document.host.capabilities],
    },
    lifetime_seconds: document.lifetimeSeconds,
    idle_timeout_seconds: document.idleTimeoutSeconds,
    expires_at: toIsoTime(record.expiresAt),
    created_at: toIsoTime(record.createdAt),
    updated_at: toIsoTime(document.updatedAt),
    deleting: record.deletingAt !== null,
  };
}
