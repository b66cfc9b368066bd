/** Remembers which sandbox an Idempotency-Key made, for a day. */
import type { Kysely } from 'kysely';
import { SandboxError } from '@omnigent/protocol';
import type { Database } from './schema.ts';

export interface IdempotentRequest {
  readonly owner: string;
  readonly key: string;
  /** SHA-256 of the request body. */
  readonly digest: string;
}

const KEPT_MS = 24 * 3600 * 1000;

export class IdempotencyStore {
  readonly #database: Kysely<Database>;

  constructor(database: Kysely<Database>) {
    this.#database = database;
  }

  /**
   * Claims a key for a new sandbox; returns the id that claimed it first.
   *
   * @throws SandboxError `idempotency_conflict` when the key was used with another request.
   */
  async claim(request: IdempotentRequest, sandboxId: string, now: number): Promise<string> {
    const { owner, key, digest } = request;
    await this.#database
      .deleteFrom('idempotency')
      .where('created_at', '<', now - KEPT_MS)
      .execute();
    await this.#database
      .insertInto('idempotency')
      .values({ owner, key, request_digest: digest, sandbox_id: sandboxId, created_at: now })
      .onConflict((conflict) => conflict.columns(['owner', 'key']).doNothing())
      .execute();
    const row = await this.#database
      .selectFrom('idempotency')
      .selectAll()
      .where('owner', '=', owner)
      .where('key', '=', key)
      .executeTakeFirstOrThrow();
    if (row.request_digest !== digest) {
      throw new SandboxError(
        'idempotency_conflict',
        `Idempotency-Key ${JSON.stringify(key)} was used with another request`,
      );
    }
    return row.sandbox_id;
  }
}
