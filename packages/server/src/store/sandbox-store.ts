/** Reads and writes sandbox records. Changes go through {@link SandboxStore.update}, which never loses another process's change. */
import type { Kysely, Selectable } from 'kysely';
import { SandboxError, providerSchema } from '@omnigent/protocol';
import type { Clock, ProviderName } from '@omnigent/protocol';
import type { Database, SandboxTable } from './schema.ts';
import type { SandboxDocument, SandboxRecord } from './sandbox-record.ts';

export interface ListOptions {
  readonly owner?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly name?: string | undefined;
  readonly provider?: ProviderName | undefined;
}

export interface SandboxPage {
  readonly items: readonly SandboxRecord[];
  readonly nextCursor: string | null;
}

export type RecordChange = Partial<SandboxDocument> & { readonly deletingAt?: number };

const MAX_TRIES = 20;
const MAX_DELETING = 500;

export class SandboxStore {
  readonly #database: Kysely<Database>;
  readonly #clock: Clock;

  constructor(database: Kysely<Database>, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** @throws SandboxError `sandbox_exists` when the owner has a live sandbox of this name. */
  async insert(record: SandboxRecord): Promise<void> {
    const taken = record.name === null ? undefined : await this.findByName(record.owner, record.name);
    if (taken !== undefined) throw existsError(record.name);
    await this.#database
      .insertInto('sandboxes')
      .values(toRow(record))
      .execute()
      .catch((error: unknown) => {
        if (record.name !== null && /unique|duplicate/i.test(String(error))) throw existsError(record.name);
        throw error;
      });
  }

  async get(id: string): Promise<SandboxRecord | undefined> {
    return toRecord(
      await this.#database.selectFrom('sandboxes').selectAll().where('id', '=', id).executeTakeFirst(),
    );
  }

  async findByHost(hostId: string): Promise<SandboxRecord | undefined> {
    return toRecord(
      await this.#database
        .selectFrom('sandboxes')
        .selectAll()
        .where('host_id', '=', hostId)
        .executeTakeFirst(),
    );
  }

  /** The sandbox whose tunnel a token opens. */
  async findByToken(digest: string): Promise<SandboxRecord | undefined> {
    const query = this.#database.selectFrom('sandboxes').selectAll().where('token_digest', '=', digest);
    return toRecord(await query.executeTakeFirst());
  }

  async findByName(owner: string, name: string): Promise<SandboxRecord | undefined> {
    const query = this.#database
      .selectFrom('sandboxes')
      .selectAll()
      .where('owner', '=', owner)
      .where('name', '=', name);
    return toRecord(await query.executeTakeFirst());
  }

  /** Oldest first; a cursor is the place after the last item of a page. */
  async list(options: ListOptions): Promise<SandboxPage> {
    const { owner, limit, cursor, name, provider } = options;
    let query = this.#database
      .selectFrom('sandboxes')
      .selectAll()
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit + 1);
    if (owner !== undefined) query = query.where('owner', '=', owner);
    if (name !== undefined) query = query.where('name', '=', name);
    if (provider !== undefined) query = query.where('provider', '=', provider);
    if (cursor !== undefined) {
      const [createdAt, id] = parseCursor(cursor);
      query = query.where((where) =>
        where.or([
          where('created_at', '>', createdAt),
          where.and([where('created_at', '=', createdAt), where('id', '>', id)]),
        ]),
      );
    }
    const rows = (await query.execute()).flatMap((row) => toRecord(row) ?? []);
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return {
      items,
      nextCursor: rows.length > limit && last !== undefined ? `${last.createdAt}.${last.id}` : null,
    };
  }

  /** Every record, page by page. */
  async *all(pageSize: number): AsyncGenerator<SandboxRecord> {
    for (let cursor: string | undefined; ; ) {
      const page = await this.list({ limit: pageSize, cursor });
      yield* page.items;
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  }

  /** Some of those that are to be deleted. */
  async listDeleting(): Promise<SandboxRecord[]> {
    const query = this.#database
      .selectFrom('sandboxes')
      .selectAll()
      .where('deleting_at', 'is not', null)
      .limit(MAX_DELETING);
    return (await query.execute()).flatMap((row) => toRecord(row) ?? []);
  }

  async count(): Promise<number> {
    const row = await this.#database
      .selectFrom('sandboxes')
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(row.count);
  }

  /**
   * Changes a record; tried again on the newest state when another change came between. Undefined when it is gone.
   * `change` may return undefined for "leave it".
   */
  async update(
    id: string,
    change: (record: SandboxRecord) => RecordChange | undefined,
  ): Promise<SandboxRecord | undefined> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const record = await this.get(id);
      if (record === undefined) return undefined;
      const changed = change(record);
      if (changed === undefined) return record;
      const { deletingAt = record.deletingAt, ...fields } = changed;
      const document = { ...record.document, ...fields, updatedAt: this.#clock.now() };
      const next = { ...record, deletingAt, document, revision: record.revision + 1 };
      const { numUpdatedRows } = await this.#database
        .updateTable('sandboxes')
        .set({
          document: JSON.stringify(document),
          deleting_at: deletingAt,
          revision: next.revision,
          token_digest: toTokenDigest(document),
        })
        .where('id', '=', id)
        .where('revision', '=', record.revision)
        .executeTakeFirst();
      if (numUpdatedRows === 1n) return next;
    }
    throw new SandboxError(
      'store_unavailable',
      `sandbox ${id} could not be changed: too many changes at once`,
    );
  }

  async delete(id: string): Promise<void> {
    await this.#database.deleteFrom('events').where('sandbox_id', '=', id).execute();
    await this.#database.deleteFrom('idempotency').where('sandbox_id', '=', id).execute();
    await this.#database.deleteFrom('sandboxes').where('id', '=', id).execute();
  }
}

function existsError(name: string | null): SandboxError {
  return new SandboxError('sandbox_exists', `expected a name that is free, found a sandbox named ${name}`);
}

function parseCursor(cursor: string): [number, string] {
  const [, time, id] = /^(\d{1,15})\.(s[0-9a-z]{12})$/.exec(cursor) ?? [];
  if (time === undefined || id === undefined) {
    throw new SandboxError('invalid_request', 'cursor: expected the next_cursor of an earlier page');
  }
  return [Number(time), id];
}

function toTokenDigest({ tokens }: SandboxDocument): string | null {
  return tokens?.current ?? null;
}

function toRow(record: SandboxRecord): SandboxTable {
  return {
    id: record.id,
    owner: record.owner,
    name: record.name,
    host_id: record.hostId,
    provider: record.provider,
    created_at: record.createdAt,
    deleting_at: record.deletingAt,
    expires_at: record.expiresAt,
    token_digest: toTokenDigest(record.document),
    document: JSON.stringify(record.document),
    revision: record.revision,
  };
}

function toRecord(row: Selectable<SandboxTable> | undefined): SandboxRecord | undefined {
  if (row === undefined) return undefined;
  return {
    id: row.id,
    owner: row.owner,
    name: row.name,
    hostId: row.host_id,
    provider: providerSchema.parse(row.provider),
    createdAt: Number(row.created_at),
    deletingAt: row.deleting_at === null ? null : Number(row.deleting_at),
    expiresAt: Number(row.expires_at),
    revision: Number(row.revision),
    // Written by this class only; a document of an older version is brought up by a migration.
    document: JSON.parse(row.document) as SandboxDocument,
  };
}
