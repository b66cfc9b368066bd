/** A server with busy tunnels, and a sandbox among them whose host has a process of its own. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from '@omnigent/client';
import type { SandboxHandle } from '@omnigent/client';
import { z } from 'zod';
import { createStateDirectory } from '../../../scripts/omnigent/state-directory.ts';
import { ALONE } from './crowd-launcher.ts';

const readyLineSchema = z.object({ url: z.string() });
const TOKEN = 'the-token-of-one-benchmark';

export interface Crowd extends AsyncDisposable {
  readonly sandbox: SandboxHandle;
  readonly serverPid: number;
}

/** Starts everything; gone when it is disposed. */
export async function openCrowd(busyTunnels: number): Promise<Crowd> {
  await using resources = new AsyncDisposableStack();
  const state = resources.use(await createStateDirectory());
  const server = resources.adopt(start('crowd-server.ts', [state.path, TOKEN]), stop);
  const { url } = readyLineSchema.parse(JSON.parse(await readLine(server)));
  if (busyTunnels > 0) {
    const followers = start('crowd-followers.ts', [url, TOKEN, String(busyTunnels)]);
    await readLine(resources.adopt(followers, stop));
  }
  const sandbox = await createClient({ url, token: TOKEN }).launch({ name: ALONE });
  const owned = resources.move();
  return { sandbox, serverPid: server.pid ?? 0, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function start(file: string, args: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return spawn(process.execPath, ['--conditions=source', path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function readLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('a process of the crowd has no output');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return String(line);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
