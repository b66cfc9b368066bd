/** Nothing of an interruption may cost a byte, a doubled command or an exit status: real sockets, processes and signals. */
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from '@omnigent/client';
import type { Client, RunningProcess } from '@omnigent/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCuttingProxy } from './cutting-proxy.ts';
import type { CuttingProxy } from './cutting-proxy.ts';

const COMMAND = fileURLToPath(new URL('../../../packages/cli/bin/omnigent.js', import.meta.url));
/** Lines whose order and number tell of every loss and repeat. */
const LINES = 400_000;
/** Pieces of input that are sent while the tunnel is cut. */
const CHUNKS = 100;

let directory: string;
let proxy: CuttingProxy;
let server: ChildProcess;
let client: Client;

async function startServer(): Promise<void> {
  const args = ['server', '--state-dir', directory, '--url', `http://127.0.0.1:${proxy.port}`];
  server = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  if (server.stdout === null) throw new Error('no output');
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  proxy.target = Number(new URL(url).port);
  client = createClient({ url, token: (await readFile(join(directory, 'token'), 'utf8')).trim() });
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'omnigent-faults-'));
  proxy = await startCuttingProxy();
  await startServer();
});
afterAll(async () => {
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
  await proxy[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

/** SHA-256 of the program's stdout; `onBytes` is told how much has come. */
async function hashOutput(program: RunningProcess, onBytes: (total: number) => void): Promise<string> {
  const hash = createHash('sha256');
  let total = 0;
  for await (const { stream, data } of program.output()) {
    if (stream !== 1) continue;
    hash.update(data);
    total += data.length;
    onBytes(total);
  }
  return hash.digest('hex');
}

function hashLines(count: number): string {
  const hash = createHash('sha256');
  for (let line = 1; line <= count; line += 1) hash.update(`${line}\n`);
  return hash.digest('hex');
}

describe('an interruption', () => {
  it('of the tunnel, 40 times in mid-stream, costs no byte, doubles no command and keeps the exit status', async () => {
    await using sandbox = await client.launch({});
    const program = sandbox.prepare(['sh', '-c', `echo x >> started; seq ${LINES}; exit 7`]);
    let next = 50_000;
    let cuts = 0;
    const digest = await hashOutput(program, (total) => {
      if (total < next || cuts >= 40) return;
      next = total + 50_000;
      cuts += proxy.cut() > 0 ? 1 : 0;
    });
    expect(digest).toBe(hashLines(LINES));
    expect(program.exit?.exit_code).toBe(7);
    expect(cuts).toBeGreaterThan(3);
    expect((await sandbox.exec(['cat', 'started'])).stdout).toBe('x\n');
  });

  it('of the tunnel, at random points of input and output, costs and doubles no byte of either', async () => {
    await using sandbox = await client.launch({});
    const sent = createHash('sha256');
    let cuts = 0;
    async function* send() {
      for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
        const data = Buffer.from(randomBytes(48 * 1024).toString('base64'));
        sent.update(data);
        yield data;
        // Some fall into the next chunk on its way, some between two.
        if (chunk % 4 === 3) setTimeout(() => (cuts += proxy.cut()), randomInt(4));
      }
    }
    const { stdout, exitCode } = await sandbox.exec('echo x >> begun; cat; exit 7', { input: send() });
    expect(exitCode).toBe(7);
    expect(createHash('sha256').update(stdout).digest('hex')).toBe(sent.digest('hex'));
    expect(cuts).toBeGreaterThan(10);
    expect((await sandbox.exec(['cat', 'begun'])).stdout).toBe('x\n');
  });

  it('by kill -9 of the server in mid-stream is made good by the next server', async () => {
    const sandbox = await client.launch({});
    const program = sandbox.prepare(['sh', '-c', `seq ${LINES}; sleep 1; echo end`]);
    let isKilled = false;
    const digest = await hashOutput(program, (total) => {
      if (isKilled || total < 200_000) return;
      isKilled = true;
      server.kill('SIGKILL');
      void once(server, 'exit').then(startServer);
    });
    const hash = createHash('sha256');
    for (let line = 1; line <= LINES; line += 1) hash.update(`${line}\n`);
    expect(digest).toBe(hash.update('end\n').digest('hex'));
    expect(isKilled).toBe(true);
    expect(await (await client.get(sandbox.id)).terminate()).toBe(true);
  });

  it('by kill -9 of the host is told as the loss that it is, never as success', async () => {
    const sandbox = await client.launch({});
    const program = sandbox.prepare(['sh', '-c', 'echo up; sleep 60']);
    const reading = (async () => {
      for await (const { data } of program.output()) {
        if (Buffer.from(data).toString() === 'up\n')
          await sandbox.exec('kill -9 $(pgrep -f host/main.js)').catch(() => undefined);
      }
    })();
    await expect(reading).rejects.toMatchObject({
      code: expect.stringMatching(/sandbox_terminated|host_lost|host_offline/) as string,
    });
    expect(await sandbox.terminate()).toBe(true);
    expect(await readdir(join(directory, 'sandboxes'))).toEqual([]);
  });

  it('by kill -9 of the server in mid-launch leaves nothing that the next server does not know', async () => {
    const created = await client.create({ name: 'interrupted' });
    await new Promise((resolve) => setTimeout(resolve, 120));
    server.kill('SIGKILL');
    await once(server, 'exit');
    await startServer();
    const sandbox = await client.get(created.id);
    const outcome = await sandbox.whenReady().then(
      () => 'ready',
      (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
    );
    expect(['ready', 'launch_failed']).toContain(outcome);
    expect(await sandbox.terminate()).toBe(true);
    expect(await readdir(join(directory, 'sandboxes'))).toEqual([]);
  });
});
