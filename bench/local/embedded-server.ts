/** Ends the server that a command has started for itself. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@omnigent/protocol';
import { z } from 'zod';
import { isRunning } from '../harness/process-facts.ts';

const serverFileSchema = z.object({ pid: z.int() });

/** Asks the embedded server of a state directory to stop and resolves when its process is gone. */
export async function stopEmbeddedServer(stateDirectory: string): Promise<void> {
  const text = await readFile(join(stateDirectory, 'server.json'), 'utf8');
  const { pid } = serverFileSchema.parse(JSON.parse(text));
  process.kill(pid, 'SIGTERM');
  // It is no child of ours, so nothing tells of its end.
  while (await isRunning(pid)) await systemClock.sleep(10);
}
