/** Finds a caller's sandbox by id or live name; another's looks as if it did not exist. */
import { SandboxError, sandboxIdSchema } from '@omnigent/protocol';
import type { SandboxRecord } from '../store/sandbox-record.ts';
import type { SandboxStore } from '../store/sandbox-store.ts';

/** @throws SandboxError `sandbox_not_found`. */
export async function findSandbox(
  sandboxes: SandboxStore,
  owner: string,
  idOrName: string,
): Promise<SandboxRecord> {
  const byId = sandboxIdSchema.safeParse(idOrName).success ? await sandboxes.get(idOrName) : undefined;
  const record = byId ?? (await sandboxes.findByName(owner, idOrName));
  if (record?.owner !== owner)
    throw new SandboxError('sandbox_not_found', `there is no sandbox ${JSON.stringify(idOrName)}`);
  return record;
}
