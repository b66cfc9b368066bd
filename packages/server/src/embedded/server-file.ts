/** `server.json` of the state directory: where the running server is. Written when it is ready, removed at its end. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { isSameProcess } from './process-identity.ts';

export const serverFileSchema = z.object({
  url: z.url(),
  pid: z.int(),
  /** Field 22 of /proc/PID/stat: tells this process from a later one of the same id. */
  pid_start_time: z.string(),
  version: z.string(),
});
export type ServerFile = z.infer<typeof serverFileSchema>;

const FILE = 'server.json';
const PORT_FILE = 'port';

async function replace(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}

export async function writeServerFile(stateDirectory: string, content: ServerFile): Promise<void> {
  await replace(join(stateDirectory, FILE), `${JSON.stringify(content)}\n`);
}

export async function removeServerFile(stateDirectory: string): Promise<void> {
  await rm(join(stateDirectory, FILE), { force: true });
}

/** The server that is running on a state directory; undefined when there is none. */
export async function findRunningServer(stateDirectory: string): Promise<ServerFile | undefined> {
  const text = await readFile(join(stateDirectory, FILE), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const parsed = serverFileSchema.safeParse(parseJson(text)).data;
  if (parsed === undefined || !(await isSameProcess(parsed.pid, parsed.pid_start_time))) return undefined;
  return parsed;
}

/** The port that the last server of this directory had; hosts of its sandboxes dial it again. */
export async function readLastPort(stateDirectory: string): Promise<number> {
  const text = await readFile(join(stateDirectory, PORT_FILE), 'utf8').catch(() => '0');
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : 0;
}

export async function writeLastPort(stateDirectory: string, port: number): Promise<void> {
  await replace(join(stateDirectory, PORT_FILE), String(port));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
