/** The store of one server: opened, migrated, closed as a whole. */
import { sql } from 'kysely';
import type { Clock } from '@omnigent/protocol';
import { EventStore } from './event-store.ts';
import { IdempotencyStore } from './idempotency-store.ts';
import { migrate } from './migrations.ts';
import { openDatabase } from './open-database.ts';
import { SandboxStore } from './sandbox-store.ts';

export interface Store {
  readonly sandboxes: SandboxStore;
  readonly events: EventStore;
  readonly idempotency: IdempotencyStore;
  /** Resolves when the database answers. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the store of a database URL (`sqlite:PATH`, `postgres://…`) and brings its schema up to date. */
export async function openStore(url: string, clock: Clock): Promise<Store> {
  const database = await openDatabase(url);
  await migrate(database);
  return {
    sandboxes: new SandboxStore(database, clock),
    events: new EventStore(database),
    idempotency: new IdempotencyStore(database),
    async check() {
      await sql`select 1`.execute(database);
    },
    close: () => database.destroy(),
  };
}
