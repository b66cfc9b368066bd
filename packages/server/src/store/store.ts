/** The store of one server: opened, migrated, closed as a whole. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '@omnigent/protocol';
import { EventStore } from './event-store.ts';
import { IdempotencyStore } from './idempotency-store.ts';
import { LeaseStore, ownLeases } from './lease-store.ts';
import type { Leases } from './lease-store.ts';
import { migrate } from './migrations.ts';
import { openDatabase } from './open-database.ts';
import { SandboxStore } from './sandbox-store.ts';

export interface Store {
  readonly sandboxes: SandboxStore;
  readonly events: EventStore;
  readonly idempotency: IdempotencyStore;
  readonly leases: Leases;
  /** Resolves when the database answers. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** `sqlite:PATH` or `postgres://…`. */
  readonly url: string;
  /** Whether no other process can use the database. */
  readonly isExclusive: boolean;
  readonly clock: Clock;
}

/** Opens the store and brings its schema up to date. */
export async function openStore({ url, isExclusive, clock }: StoreOptions): Promise<Store> {
  const database = await openDatabase(url);
  await migrate(database);
  return {
    sandboxes: new SandboxStore(database, clock),
    events: new EventStore(database),
    idempotency: new IdempotencyStore(database),
    leases: isExclusive ? ownLeases : new LeaseStore(database, { holder: randomUUID(), clock }),
    async check() {
      await sql`select 1`.execute(database);
    },
    close: () => database.destroy(),
  };
}
