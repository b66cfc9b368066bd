/** Tables of the store; the same in SQLite and PostgreSQL. Times are milliseconds since 1970, documents are JSON text. */
import type { Generated } from 'kysely';

export interface SandboxTable {
  id: string;
  owner: string;
  name: string | null;
  host_id: string;
  provider: string;
  created_at: number;
  /** Set when deletion was asked for: the tombstone. */
  deleting_at: number | null;
  expires_at: number;
  /** Digest of the token that opens its tunnel; also in the document. */
  token_digest: string | null;
  /** The rest of the record; {@link SandboxRecord}. */
  document: string;
  /** Grows with every change, so that two processes never overwrite each other unseen. */
  revision: number;
}

export interface EventTable {
  sandbox_id: string;
  sequence: number;
  document: string;
}

export interface IdempotencyTable {
  owner: string;
  key: string;
  request_digest: string;
  sandbox_id: string;
  created_at: number;
}

export interface LeaseTable {
  sandbox_id: string;
  holder: string;
  /** Grows as long as the holder lives. */
  beat: number;
}

export interface MigrationTable {
  id: Generated<number>;
  name: string;
}

export interface Database {
  sandboxes: SandboxTable;
  events: EventTable;
  idempotency: IdempotencyTable;
  leases: LeaseTable;
  applied_migrations: MigrationTable;
}
