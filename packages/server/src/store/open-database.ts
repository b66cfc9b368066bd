/** Opens SQLite (`node:sqlite`, WAL) or PostgreSQL behind one Kysely. */
import { DatabaseSync } from 'node:sqlite';
import type { SQLInputValue } from 'node:sqlite';
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { SandboxError } from '@omnigent/protocol';
import type { Database } from './schema.ts';

/** Gives `node:sqlite` the shape that Kysely's SQLite dialect asks for. */
function adaptSqlite(database: DatabaseSync): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare(sql): SqliteStatement {
      const statement = database.prepare(sql);
      const bind = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...bind(parameters)),
        run: (parameters) => statement.run(...bind(parameters)),
        iterate: (parameters) => statement.iterate(...bind(parameters)),
      };
    },
  };
}

function openSqlite(path: string): Kysely<Database> {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;');
  return new Kysely({ dialect: new SqliteDialect({ database: adaptSqlite(database) }) });
}

async function openPostgres(url: string): Promise<Kysely<Database>> {
  const { default: pg } = await import('pg');
  // bigint comes as text otherwise; our numbers are times and revisions, far below 2^53.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({ connectionString: url, max: 10, connectionTimeoutMillis: 10_000 });
  // An idle connection that breaks is replaced by the pool; without a listener the error would end the process.
  pool.on('error', () => undefined);
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

/**
 * Opens the database of a URL: `sqlite:PATH` or `postgres://…`.
 *
 * @throws SandboxError `invalid_config` for another scheme; the URL itself is not repeated, it may hold a password.
 */
export async function openDatabase(url: string): Promise<Kysely<Database>> {
  if (url.startsWith('sqlite:')) return openSqlite(url.slice('sqlite:'.length));
  if (/^postgres(ql)?:\/\//.test(url)) return await openPostgres(url);
  throw new SandboxError(
    'invalid_config',
    'database URL: expected sqlite:PATH or postgres://…, found another scheme',
  );
}
