/** Every byte of every program arrives once and in order: through host, tunnel, server and SDK. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from '@omnigent/client';
import type { SandboxHandle } from '@omnigent/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const COMMAND = fileURLToPath(new URL('../../../packages/cli/bin/omnigent.js', import.meta.url));
const PROGRAMS = 1_000;
const AT_ONCE = 10;

let directory: string;
let server: ChildProcess;
let sandbox: SandboxHandle;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'omnigent-bytes-'));
  server = spawn(process.execPath, [COMMAND, 'server', '--state-dir', directory], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (server.stdout === null) throw new Error('no output');
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const token = (await readFile(join(directory, 'token'), 'utf8')).trim();
  sandbox = await createClient({ url: (JSON.parse(line) as { url: string }).url, token }).launch({});
});
afterAll(async () => {
  await sandbox.terminate();
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
  await rm(directory, { recursive: true, force: true });
});

describe('output', () => {
  it(`of ${PROGRAMS} programs that print a megabyte and exit at once is complete`, async () => {
    const expected = createHash('sha256').update(Buffer.alloc(1_000_000, 'a')).digest('hex');
    const wrong: string[] = [];
    let next = 0;
    const runSome = async () => {
      while (next < PROGRAMS) {
        next += 1;
        const hash = createHash('sha256');
        const program = sandbox.prepare('head -c 1000000 /dev/zero | tr "\\0" a');
        for await (const { stream, data } of program.output()) if (stream === 1) hash.update(data);
        if (hash.digest('hex') !== expected || program.exit?.exit_code !== 0) wrong.push(program.id);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, runSome));
    expect(wrong).toEqual([]);
  }, 240_000);

  it('of 100 MB over both streams is complete and in order for a reader that stops for five seconds', async () => {
    const script = 'for i in $(seq 50); do seq 1 140000; seq 1 140000 >&2; done';
    const hashes = { 1: createHash('sha256'), 2: createHash('sha256') };
    let total = 0;
    let hasStopped = false;
    for await (const { stream, data } of sandbox.prepare(script).output()) {
      if (stream !== 1 && stream !== 2) continue;
      hashes[stream].update(data);
      total += data.length;
      if (hasStopped || total < 10_000_000) continue;
      hasStopped = true;
      await delay(5_000);
    }
    const lines = Array.from({ length: 140_000 }, (_, index) => `${index + 1}\n`).join('');
    const expected = createHash('sha256');
    for (let round = 0; round < 50; round += 1) expected.update(lines);
    const digest = expected.digest('hex');
    expect([hashes[1].digest('hex'), hashes[2].digest('hex')]).toEqual([digest, digest]);
    expect(total).toBe(2 * 50 * lines.length);
  }, 120_000);
});
