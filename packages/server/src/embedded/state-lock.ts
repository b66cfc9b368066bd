/**
 * One server per state directory. The lock is a file lock that SQLite holds, so that the kernel releases it however
 * the process ends; a file with a process id in it would outlive a crash.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface StateLock {
  release(): void;
}

/** Takes the lock; undefined when another process holds it. */
export function tryStateLock(stateDirectory: string): StateLock | undefined {
  const database = new DatabaseSync(join(stateDirectory, 'server.lock'), { timeout: 0 });
  try {
    // A rollback journal in memory: nothing is ever written, and no second file lies about.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) return undefined;
    throw error;
  }
}
