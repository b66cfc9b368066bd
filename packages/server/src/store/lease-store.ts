/**
 * Which server process works on a sandbox now. A lease lives as long as its holder goes on counting its beats up: whoever wants it watches the
 * count with a clock of its own, so that no two machines need the same time.
 */
import type { Kysely } from 'kysely';
import type { Clock } from '@omnigent/protocol';
import type { Database } from './schema.ts';

export interface Leases {
  /** Takes a lease; false while another process holds it. */
  acquire(sandboxId: string): Promise<boolean>;
  /** Counts the beats of what this process holds up. Returns which of them it has lost. */
  beat(sandboxIds: readonly string[]): Promise<string[]>;
  release(sandboxId: string): Promise<void>;
}

/** A holder without a beat for so long is dead, or as good as that. */
export const LEASE_MS = 30_000;

/** For a database that no other process uses. */
export const ownLeases: Leases = {
  acquire: () => Promise.resolve(true),
  beat: () => Promise.resolve([]),
  release: () => Promise.resolve(),
};

interface Sight {
  readonly holder: string;
  readonly beat: number;
  readonly sinceMs: number;
}

export class LeaseStore implements Leases {
  readonly #database: Kysely<Database>;
  readonly #holder: string;
  readonly #clock: Clock;
  /** The leases of others as they were last seen to change. */
  readonly #sights = new Map<string, Sight>();

  /** @param options `holder` is an id of this process that no other has or had. */
  constructor(database: Kysely<Database>, options: { readonly holder: string; readonly clock: Clock }) {
    this.#database = database;
    this.#holder = options.holder;
    this.#clock = options.clock;
  }

  async acquire(sandboxId: string): Promise<boolean> {
    await this.#database
      .insertInto('leases')
      .values({ sandbox_id: sandboxId, holder: this.#holder, beat: 0 })
      .onConflict((conflict) => conflict.column('sandbox_id').doNothing())
      .execute();
    const found = await this.#database
      .selectFrom('leases')
      .selectAll()
      .where('sandbox_id', '=', sandboxId)
      .executeTakeFirst();
    if (found === undefined) return false;
    const isOurs =
      found.holder === this.#holder || (await this.#takeOver({ ...found, beat: Number(found.beat) }));
    if (isOurs) this.#sights.delete(sandboxId);
    return isOurs;
  }

  async beat(sandboxIds: readonly string[]): Promise<string[]> {
    if (sandboxIds.length === 0) return [];
    await this.#database
      .updateTable('leases')
      .set((row) => ({ beat: row('beat', '+', 1) }))
      .where('holder', '=', this.#holder)
      .where('sandbox_id', 'in', sandboxIds)
      .execute();
    const rows = await this.#database
      .selectFrom('leases')
      .select('sandbox_id')
      .where('holder', '=', this.#holder)
      .execute();
    const held = new Set(rows.map((row) => row.sandbox_id));
    return sandboxIds.filter((id) => !held.has(id));
  }

  async release(sandboxId: string): Promise<void> {
    await this.#database
      .deleteFrom('leases')
      .where('sandbox_id', '=', sandboxId)
      .where('holder', '=', this.#holder)
      .execute();
  }

  /** Takes the lease of a holder whose count has stood still for long enough. */
  async #takeOver(found: {
    readonly sandbox_id: string;
    readonly holder: string;
    readonly beat: number;
  }): Promise<boolean> {
    const { sandbox_id: id, holder, beat } = found;
    const now = this.#clock.monotonicMs();
    const seen = this.#sights.get(id);
    if (seen?.holder !== holder || seen.beat !== beat) {
      this.#sights.set(id, { holder, beat, sinceMs: now });
      return false;
    }
    if (now - seen.sinceMs < LEASE_MS) return false;
    const { numUpdatedRows } = await this.#database
      .updateTable('leases')
      .set({ holder: this.#holder, beat: beat + 1 })
      .where('sandbox_id', '=', id)
      .where('holder', '=', holder)
      .where('beat', '=', beat)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }
}
