/** The events of each sandbox: stored, so that a reader can go on after any interruption, and announced in this process. */
import { EventEmitter } from 'node:events';
import type { Kysely } from 'kysely';
import { sandboxEventSchema } from '@omnigent/protocol';
import type { SandboxEvent } from '@omnigent/protocol';
import type { Database } from './schema.ts';

export interface NumberedEvent {
  readonly sequence: number;
  readonly event: SandboxEvent;
}

/** Events kept per sandbox; the oldest go first. */
const MAX_EVENTS = 500;

export class EventStore {
  readonly #database: Kysely<Database>;
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  /** One writer per sandbox at a time, so that numbers grow without gaps. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(database: Kysely<Database>) {
    this.#database = database;
  }

  /** Stores and announces an event. */
  async append(sandboxId: string, event: SandboxEvent): Promise<void> {
    const turn = (this.#turns.get(sandboxId) ?? Promise.resolve()).then(() => this.#write(sandboxId, event));
    const settled = turn.catch(() => undefined);
    this.#turns.set(sandboxId, settled);
    await turn.finally(() => {
      if (this.#turns.get(sandboxId) === settled) this.#turns.delete(sandboxId);
    });
  }

  async list(sandboxId: string, after: number): Promise<NumberedEvent[]> {
    const rows = await this.#database
      .selectFrom('events')
      .select(['sequence', 'document'])
      .where('sandbox_id', '=', sandboxId)
      .where('sequence', '>', after)
      .orderBy('sequence')
      .execute();
    return rows.map((row) => ({
      sequence: Number(row.sequence),
      event: sandboxEventSchema.parse(JSON.parse(row.document)),
    }));
  }

  /** Calls back for every event of a sandbox that this process announces; returns the function that ends it. */
  subscribe(sandboxId: string, listener: (event: NumberedEvent) => void): () => void {
    this.#emitter.on(sandboxId, listener);
    return () => this.#emitter.off(sandboxId, listener);
  }

  async #write(sandboxId: string, event: SandboxEvent): Promise<void> {
    const last = await this.#database
      .selectFrom('events')
      .select((select) => select.fn.max('sequence').as('sequence'))
      .where('sandbox_id', '=', sandboxId)
      .executeTakeFirst();
    const sequence = Number(last?.sequence ?? 0) + 1;
    await this.#database
      .insertInto('events')
      .values({ sandbox_id: sandboxId, sequence, document: JSON.stringify(event) })
      .execute();
    if (sequence > MAX_EVENTS) {
      await this.#database
        .deleteFrom('events')
        .where('sandbox_id', '=', sandboxId)
        .where('sequence', '<=', sequence - MAX_EVENTS)
        .execute();
    }
    this.#emitter.emit(sandboxId, { sequence, event });
  }
}
