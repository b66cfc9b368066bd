/** Migrations, in order, never changed once released. Both databases get the same. */
import type { Kysely } from 'kysely';
import type { Database } from './schema.ts';

interface Migration {
  readonly name: string;
  readonly up: (database: Kysely<Database>) => Promise<void>;
}

const MIGRATIONS: readonly Migration[] = [
  {
    name: '0001-first',
    async up(database) {
      const { schema } = database;
      await schema
        .createTable('sandboxes')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('owner', 'text', (column) => column.notNull())
        .addColumn('name', 'text')
        .addColumn('host_id', 'text', (column) => column.notNull().unique())
        .addColumn('provider', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('deleting_at', 'bigint')
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .addColumn('document', 'text', (column) => column.notNull())
        .addColumn('revision', 'bigint', (column) => column.notNull())
        .execute();
      await schema
        .createIndex('sandboxes_by_name')
        .unique()
        .on('sandboxes')
        .columns(['owner', 'name'])
        .execute();
      await schema
        .createIndex('sandboxes_by_owner')
        .on('sandboxes')
        .columns(['owner', 'created_at', 'id'])
        .execute();
      await schema
        .createTable('events')
        .addColumn('sandbox_id', 'text', (column) => column.notNull())
        .addColumn('sequence', 'bigint', (column) => column.notNull())
        .addColumn('document', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('events_key', ['sandbox_id', 'sequence'])
        .execute();
      await schema
        .createTable('idempotency')
        .addColumn('owner', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('request_digest', 'text', (column) => column.notNull())
        .addColumn('sandbox_id', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('idempotency_key', ['owner', 'key'])
        .execute();
    },
  },
  {
    name: '0002-token-digest',
    async up({ schema }) {
      await schema.alterTable('sandboxes').addColumn('token_digest', 'text').execute();
      await schema.createIndex('sandboxes_by_token').on('sandboxes').column('token_digest').execute();
    },
  },
  {
    name: '0003-leases',
    async up({ schema }) {
      await schema.createIndex('sandboxes_by_deletion').on('sandboxes').column('deleting_at').execute();
      await schema
        .createTable('leases')
        .addColumn('sandbox_id', 'text', (column) => column.primaryKey())
        .addColumn('holder', 'text', (column) => column.notNull())
        .addColumn('beat', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
];

/** Brings the database to the newest schema. Safe when two processes start at once: the second finds the first's work or fails and is restarted. */
export async function migrate(database: Kysely<Database>): Promise<void> {
  await database.schema
    .createTable('applied_migrations')
    .ifNotExists()
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .execute();
  const applied = new Set(
    (await database.selectFrom('applied_migrations').select('name').execute()).map(({ name }) => name),
  );
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (applied.has(migration.name)) continue;
    await database.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('applied_migrations')
        .values({ id: index + 1, name: migration.name })
        .execute();
      await migration.up(transaction);
    });
  }
}
