/**
 * Input and output of one program while every connection, of the host and of the caller, is cut again and again at points that a
 * seed decides. OMNIGENT_TEST_CUTS scales it: 1000 are a few minutes, with 200 MB of output.
 */
import { createHash } from 'node:crypto';
import { createClient } from '@omnigent/client';
import { expect, it } from 'vitest';
import { isReady, startTestServer, waitForEvent } from '../server-harness/test-server.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { createRandom } from '../../seeded-random.ts';

const CUTS = Number(process.env['OMNIGENT_TEST_CUTS'] ?? 60);
/** Between two cuts, both directions of output together. */
const BYTES_PER_CUT = 200_000;
const CHUNK_BYTES = 50_000;
const LINE_BYTES = 8;
const LINES = (CUTS * BYTES_PER_CUT) / 2 / LINE_BYTES;
const CHUNKS = (CUTS * BYTES_PER_CUT) / 2 / CHUNK_BYTES;

it(
  `${CUTS} cuts cost no byte of input, output or errors, double none, and keep the exit status`,
  async () => {
    await using proxy = await startCuttingProxy();
    const url = `http://127.0.0.1:${proxy.port}`;
    await using api = await startTestServer({ url });
    proxy.target = api.server.port;
    const { id } = await api.launch();
    await waitForEvent(api.events(id), isReady);
    const sandbox = await createClient({ url, token: api.token }).get(id);

    const random = createRandom(20_260_101);
    const state = { total: 0, next: BYTES_PER_CUT / 2, cuts: 0 };
    const hashes = { sent: createHash('sha256'), stdout: createHash('sha256'), stderr: createHash('sha256') };
    const take = (stream: 'stdout' | 'stderr') => (chunk: Uint8Array) => {
      hashes[stream].update(chunk);
      state.total += chunk.length;
      if (state.total < state.next) return;
      state.next += BYTES_PER_CUT * 2 * random();
      setTimeout(() => (state.cuts += proxy.cut() > 0 ? 1 : 0), random() * 4);
    };
    async function* send() {
      for (let number = 0; number < CHUNKS; number += 1) {
        const chunk = Buffer.alloc(CHUNK_BYTES, `${random()} `);
        hashes.sent.update(chunk);
        yield chunk;
      }
    }
    const script = `echo x >> begun; seq -f '%07.0f' 1 ${LINES} >&2 & cat; wait; exit 7`;
    const { exitCode } = await sandbox.exec(script, {
      input: send(),
      onStdout: take('stdout'),
      onStderr: take('stderr'),
    });

    const lines = createHash('sha256');
    for (let line = 1; line <= LINES; line += 1)
      lines.update(`${String(line).padStart(LINE_BYTES - 1, '0')}\n`);
    expect(exitCode).toBe(7);
    expect(hashes.stdout.digest('hex')).toBe(hashes.sent.digest('hex'));
    expect(hashes.stderr.digest('hex')).toBe(lines.digest('hex'));
    expect(state.cuts).toBeGreaterThan(CUTS / 10);
    expect((await sandbox.exec(['cat', 'begun'])).stdout).toBe('x\n');
  },
  60_000 + CUTS * 1_000,
);
