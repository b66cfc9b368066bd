/** What a reader that hardly reads costs the server, while the program never stops writing. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from '@omnigent/client';
import type { RunningProcess, SandboxHandle } from '@omnigent/client';
import { ATTACH_SUBPROTOCOL } from '@omnigent/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const COMMAND = fileURLToPath(new URL('../../../packages/cli/bin/omnigent.js', import.meta.url));
const MEBIBYTE = 2 ** 20;
const READ_BYTES = 10_000;

let directory: string;
let server: ChildProcess;
let url: URL;
let token: string;
let sandbox: SandboxHandle;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'omnigent-slow-'));
  const args = ['server', '--state-dir', directory, '--listen', '127.0.0.1:0'];
  server = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  if (server.stdout === null) throw new Error('no output');
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  url = new URL((JSON.parse(line) as { url: string }).url);
  token = (await readFile(join(directory, 'token'), 'utf8')).trim();
  sandbox = await createClient({ url: url.href, token }).launch({});
});
afterAll(async () => {
  await sandbox.terminate();
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
  await rm(directory, { recursive: true, force: true });
});

async function readResidentBytes(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** A connection whose bytes are taken by hand. */
function open(path: string, headers: readonly string[]): Socket {
  const socket = connect(Number(url.port), '127.0.0.1');
  socket.pause();
  const head = [
    `GET ${path} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${token}`,
    ...headers,
    '',
    '',
  ];
  socket.write(head.join('\r\n'));
  return socket;
}

/** Takes about {@link READ_BYTES}, however they come. */
async function take(socket: Socket): Promise<string> {
  for (;;) {
    const chunk = (socket.read(READ_BYTES) ?? socket.read()) as Buffer | null;
    if (chunk !== null) return chunk.toString('latin1');
    await once(socket, 'readable');
  }
}

async function whenWritten(program: RunningProcess, bytes: number): Promise<void> {
  for (;;) if ((await program.read()).output.end_offset >= bytes) return;
}

/** Claims to have dealt with all that can be under way, as a viewer that lies does. */
function claim(socket: Socket, round: number): void {
  for (let bytes = 0; bytes < 200; bytes += 1) {
    const text = JSON.stringify({ type: 'ack', bytes: (round * 200 + bytes) * 10_000 });
    socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]));
  }
}

/** What the server grew by, in MiB, while the program wrote 400 MB of which 200 KB were read: the middle one of 19 readings. */
async function measureGrowth(
  program: RunningProcess,
  socket: Socket,
  onRound: (round: number) => void = () => undefined,
): Promise<number> {
  expect(await take(socket)).toMatch(/^HTTP\/1.1 (200|101) /);
  await whenWritten(program, 20_000_000);
  const before = await readResidentBytes();
  const sizes: number[] = [];
  for (let round = 2; round <= 20; round += 1) {
    await take(socket);
    onRound(round - 2);
    await whenWritten(program, round * 20_000_000);
    sizes.push(await readResidentBytes());
  }
  socket.destroy();
  await program.signal('SIGKILL');
  // Each reading holds garbage that nobody has collected yet, on a busy machine much; what is held for the reader only grows.
  const [middle = Infinity] = sizes.sort((a, b) => a - b).slice(sizes.length / 2);
  return (middle - before) / MEBIBYTE;
}

describe('a reader that hardly reads', () => {
  it('of recorded output costs the server less than 20 MB', async () => {
    const program = sandbox.prepare('yes 0123456789012345678901234567890123456789');
    await program.ensureStarted();
    const path = `/v1/sandboxes/${sandbox.id}/processes/${program.id}/output?follow=1&offset=0`;
    expect(await measureGrowth(program, open(path, []))).toBeLessThan(20);
  });

  it('of an attached program costs the server less than 20 MB', async () => {
    const program = sandbox.prepare('yes 0123456789012345678901234567890123456789');
    await program.ensureStarted();
    const path = `/v1/sandboxes/${sandbox.id}/processes/${program.id}/attach?viewer=slow&mode=follow&offset=0`;
    const socket = open(path, [
      'connection: Upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
      `sec-websocket-protocol: ${ATTACH_SUBPROTOCOL}`,
    ]);
    expect(await measureGrowth(program, socket, (round) => claim(socket, round))).toBeLessThan(20);
  });
});
