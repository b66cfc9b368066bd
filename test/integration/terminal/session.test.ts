/** Attach sessions of the SDK through server and tunnel, with real sockets that are cut and viewers that are slow. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from '@omnigent/client';
import type { AttachSession, Client, RunningProcess, SandboxHandle } from '@omnigent/client';
import { buildBearerProtocol, systemClock } from '@omnigent/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCuttingProxy } from '../faults/cutting-proxy.ts';
import type { CuttingProxy } from '../faults/cutting-proxy.ts';

const COMMAND = fileURLToPath(new URL('../../../packages/cli/bin/omnigent.js', import.meta.url));
const SIZE = { columns: 80, rows: 24 };

let directory: string;
/** Between the hosts and the server. */
let tunnels: CuttingProxy;
/** Between the client and the server. */
let front: CuttingProxy;
let server: ChildProcess;
let client: Client;
let sandbox: SandboxHandle;

async function startServer(): Promise<void> {
  const args = ['server', '--state-dir', directory, '--url', `http://127.0.0.1:${tunnels.port}`];
  server = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  if (server.stdout === null) throw new Error('no output');
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  for (const proxy of [tunnels, front]) proxy.target = Number(new URL(url).port);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'omnigent-terminals-'));
  [tunnels, front] = await Promise.all([startCuttingProxy(), startCuttingProxy()]);
  await startServer();
  const token = (await readFile(join(directory, 'token'), 'utf8')).trim();
  client = createClient({ url: `http://127.0.0.1:${front.port}`, token });
  sandbox = await client.launch({});
});
afterAll(async () => {
  await sandbox.terminate();
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
  await Promise.all([tunnels, front].map((proxy) => proxy[Symbol.asyncDispose]()));
  await rm(directory, { recursive: true, force: true });
});

const bytes = (text: string) => new TextEncoder().encode(text);

function prepare(script: string): RunningProcess {
  return sandbox.prepare(['bash', '-c', script], { terminal: SIZE });
}

/** Reads a session in the background. */
class Reader {
  readonly ended: Promise<void>;
  shown = '';
  counts: Record<string, number> = {};
  isDriver = false;
  #wake: () => void = () => undefined;
  #isOver = false;

  constructor(session: AttachSession, onUpdate: () => Promise<void> | void = () => undefined) {
    this.ended = this.#read(session, onUpdate).finally(() => {
      this.#isOver = true;
      this.#wake();
    });
  }

  /** Resolves when the condition holds after an update. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.#isOver) throw new Error(`the session ended: ${JSON.stringify(this.shown.slice(-500))}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async #read(session: AttachSession, onUpdate: () => Promise<void> | void): Promise<void> {
    const decoder = new TextDecoder();
    for await (const update of session.updates()) {
      this.counts[update.type] = (this.counts[update.type] ?? 0) + 1;
      if (update.type === 'output') this.shown += decoder.decode(update.data, { stream: true });
      if (update.type === 'screen') this.shown = new TextDecoder().decode(update.data);
      if (update.type === 'driver') this.isDriver = update.isDriver;
      this.#wake();
      await onUpdate();
    }
  }
}

describe('an attach session', () => {
  it('types every key once and loses none while tunnel and connection are cut', async () => {
    const CUTS = 60;
    const KEYS = 50;
    const program = prepare(
      `stty raw -echo; printf ready; head -c ${CUTS * KEYS * 4} | tee typed; printf '\nEND'`,
    );
    await using session = await program.attach({ offset: 0, size: SIZE });
    const reader = new Reader(session);
    await reader.until(() => reader.shown.includes('ready'));
    let typed = '';
    for (let cut = 0; cut < CUTS; cut += 1) {
      const attached = reader.counts['attached'] ?? 0;
      for (let key = 0; key < KEYS; key += 1) {
        const text = String(cut * KEYS + key).padStart(4, '0');
        typed += text;
        await session.write(bytes(text));
        // At another key each time, with what was typed before in every stage of its way.
        if (key % 7 === 0) await systemClock.sleep(1);
        if (key === (cut * 17) % KEYS) (cut % 2 === 0 ? tunnels : front).cut();
      }
      if (cut < CUTS - 1) await reader.until(() => (reader.counts['attached'] ?? 0) > attached);
    }
    await reader.ended;
    expect(reader.counts['interrupted']).toBeGreaterThanOrEqual(CUTS - 1);
    expect(session.exitCode).toBe(0);
    expect(reader.shown).toBe(`ready${typed}\nEND`);
    expect((await sandbox.exec(['cat', 'typed'])).stdout).toBe(typed);
  });

  it('comes back when cuts come faster than the host can, in the middle of its handshakes', async () => {
    const program = prepare('stty -echo; echo ready; while read line; do echo "<$line>"; done');
    await using session = await program.attach({ offset: 0, size: SIZE });
    const reader = new Reader(session);
    await reader.until(() => reader.shown.includes('ready'));
    for (let cut = 0; cut < 60; cut += 1) {
      tunnels.cut();
      if (cut % 3 === 0) front.cut();
      await systemClock.sleep(cut % 17);
    }
    await session.write(bytes('still here\r'));
    await reader.until(() => reader.shown.includes('<still here>'));
    session.end();
    await reader.ended;
    expect(session.exitCode).toBe(0);
  });

  it('goes on after the server was killed and started again, with the same driver', async () => {
    const program = prepare('stty -echo; echo ready; while read line; do echo "<$line>"; done; echo over');
    await using session = await program.attach({ offset: 0, size: SIZE });
    const reader = new Reader(session);
    await reader.until(() => reader.shown.includes('ready'));
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
    await session.write(bytes('typed meanwhile\r'));
    await startServer();
    await reader.until(() => reader.shown.includes('<typed meanwhile>'));
    expect(session.isDriver).toBe(true);
    session.end();
    await reader.ended;
    expect(reader.shown.replaceAll('\r', '')).toBe('ready\n<typed meanwhile>\nover\n');
    expect(session.exitCode).toBe(0);
  });

  it('gives way when another takes over, and what was under way is not typed by anyone', async () => {
    const program = prepare('stty -echo; while read line; do echo "<$line>"; done');
    await using first = await program.attach({ offset: 0, size: SIZE });
    const firstReader = new Reader(first);
    await firstReader.until(() => firstReader.isDriver);
    await using second = await program.attach({ mode: 'take', size: { columns: 100, rows: 30 } });
    const secondReader = new Reader(second);
    await secondReader.until(() => secondReader.isDriver);
    await firstReader.until(() => !firstReader.isDriver);
    await first.write(bytes('lost\r'));
    await firstReader.until(() => (firstReader.counts['refused'] ?? 0) > 0);
    await second.write(bytes('taken\r'));
    await firstReader.until(() => firstReader.shown.includes('<taken>'));
    expect((await program.read()).pty).toEqual({ columns: 100, rows: 30 });
    first.take();
    await firstReader.until(() => firstReader.isDriver);
    await first.write(bytes('back\r'));
    await secondReader.until(() => secondReader.shown.includes('<back>'));
    first.end();
    await Promise.all([firstReader.ended, secondReader.ended]);
    expect(firstReader.shown).not.toContain('lost');
    expect((await program.read()).pty).toEqual(SIZE);
  });

  it('lets the next viewer drive when the driver has left', async () => {
    const program = prepare('stty -echo; while read line; do echo "<$line>"; done');
    const first = await program.attach({ offset: 0 });
    const firstReader = new Reader(first);
    await firstReader.until(() => firstReader.isDriver);
    await using second = await program.attach();
    const secondReader = new Reader(second);
    await secondReader.until(() => (secondReader.counts['driver'] ?? 0) > 0);
    first.detach();
    await firstReader.ended;
    expect(first.exit).toBeUndefined();
    await secondReader.until(() => (secondReader.counts['driver'] ?? 0) > 1);
    await second.write(bytes('mine\r'));
    await secondReader.until(() => secondReader.shown.includes('<mine>'));
    second.end();
    await secondReader.ended;
  });

  it('loses nothing of 1,000 programs that end at once', async () => {
    const lost: number[] = [];
    const run = async (number: number) => {
      const program = sandbox.prepare(['printf', `${number} %0200d`, '7'], { terminal: SIZE });
      await using session = await program.attach({ offset: 0 });
      const reader = new Reader(session);
      await reader.ended;
      if (reader.shown !== `${number} ${'7'.padStart(200, '0')}` || session.exitCode !== 0) lost.push(number);
    };
    for (let number = 0; number < 1_000; number += 10)
      await Promise.all(Array.from({ length: 10 }, (_, more) => run(number + more)));
    expect(lost).toEqual([]);
  }, 180_000);
});

describe('a viewer that is too slow', () => {
  /** Redraws a counter and a full screen 60 times a second, and says at its end how many pictures it drew. */
  const REDRAW = `
    printf '\\033[?1049h'
    line=$(head -c 4000 /dev/zero | tr '\\0' x)
    for ((n = 1; n <= 360; n++)); do printf '\\033[H%s\\033[1;1Hpicture %d ' "$line" $n; sleep 0.0167; done
    printf '\\033[1;1Hpicture last'; read -r
    printf '\\033[?1049l%d pictures\\n' $((n - 1))`;

  it('is skipped ahead to the present screen; program and other viewers do not notice', async () => {
    const program = prepare(REDRAW);
    await using fast = await program.attach({ offset: 0, size: SIZE });
    await using slow = await program.attach({ offset: 0, mode: 'follow' });
    const fastReader = new Reader(fast);
    // 4 KB at a time, ten times a second: a sixth of what is drawn.
    const slowReader = new Reader(slow, async () => await systemClock.sleep(100));
    await fastReader.until(() => fastReader.shown.includes('picture last'));
    expect(fastReader.counts['skipped']).toBeUndefined();
    await slowReader.until(() => slowReader.shown.includes('picture last'));
    expect(slowReader.counts['skipped']).toBeGreaterThan(0);
    await fast.write(bytes('\r'));
    await Promise.all([fastReader.ended, slowReader.ended]);
    expect(fastReader.shown).toContain('360 pictures');
    expect(slowReader.shown).toContain('360 pictures');
  });
});

describe('a viewer that does not keep to the protocol', () => {
  async function open(processId: string, mode: string): Promise<WebSocket> {
    const token = (await readFile(join(directory, 'token'), 'utf8')).trim();
    const target = `ws://127.0.0.1:${front.port}/v1/sandboxes/${sandbox.id}/processes/${processId}/attach?viewer=v${crypto.randomUUID()}&mode=${mode}`;
    const socket = new WebSocket(target, ['omnigent.attach.v1', buildBearerProtocol(token)]);
    socket.binaryType = 'arraybuffer';
    await once(socket, 'open');
    return socket;
  }

  async function whenClosed(socket: WebSocket): Promise<number> {
    const [event] = (await once(socket, 'close')) as [CloseEvent];
    return event.code;
  }

  it.each([
    ['text that is no control frame', '{"type":"own"}', 1002],
    ['text that is no JSON', 'hello', 1002],
    ['a frame of a kind that only the server sends', new Uint8Array([1, 0, 0, 0, 0, 0, 0, 0, 0, 65]), 1002],
    ['a frame that is cut', new Uint8Array([2, 0]), 1002],
    ['a frame that is too long', new Uint8Array(300 * 1024), 1009],
  ])('is let go for %s', async (_what, frame, code) => {
    const program = prepare('sleep 30');
    await program.ensureStarted();
    const socket = await open(program.id, 'drive');
    expect(socket.protocol).toBe('omnigent.attach.v1');
    socket.send(frame);
    expect(await whenClosed(socket)).toBe(code);
    await program.signal('SIGKILL');
  });

  it('never harms server, host or program, whatever it sends', async () => {
    const program = prepare('stty -echo; echo ready; while read line; do echo "<$line>"; done');
    await using session = await program.attach({ offset: 0 });
    const reader = new Reader(session);
    await reader.until(() => reader.isDriver && reader.shown.includes('ready'));
    const frame = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.json({ maxDepth: 2 }),
      fc.uint8Array({ maxLength: 60 }),
      fc.uint8Array({ maxLength: 20 }).map((tail) => Uint8Array.from([2, 0, 0, 0, 0, 0, 0, 0, 0, ...tail])),
      fc
        .constantFrom('resize', 'signal', 'ack', 'eof', 'ping')
        .map((type) => JSON.stringify({ type, columns: 1, rows: 1 })),
      fc.integer().map((number) => JSON.stringify({ type: 'ack', bytes: number })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 8 }), async (frames) => {
        const socket = await open(program.id, 'follow');
        for (const each of frames) socket.send(each);
        socket.close();
        await whenClosed(socket);
      }),
      { numRuns: 60 },
    );
    await session.write(bytes('unharmed\r'));
    await reader.until(() => reader.shown.includes('<unharmed>'));
    expect(reader.shown.replaceAll('\r', '')).toBe('ready\n<unharmed>\n');
    session.end();
    await reader.ended;
  });
});

describe('a refusal', () => {
  const path = (processId: string) => `/v1/sandboxes/${sandbox.id}/processes/${processId}/attach?viewer=v`;

  async function refuse(
    target: string,
    protocols: readonly string[],
  ): Promise<{ status: number; code: string }> {
    const { request } = await import('node:http');
    const call = request(`http://127.0.0.1:${front.port}${target}`, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        'sec-websocket-protocol': protocols.join(', '),
      },
    });
    call.end();
    const [response] = (await once(call, 'response')) as [import('node:http').IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    const { code } = JSON.parse(Buffer.concat(chunks).toString()) as { code: string };
    return { status: response.statusCode ?? 0, code };
  }

  it('comes before the upgrade as a problem document, and to the SDK as its error', async () => {
    const bearer = buildBearerProtocol((await readFile(join(directory, 'token'), 'utf8')).trim());
    const protocol = 'omnigent.attach.v1';
    expect(await refuse(path('p'), [protocol])).toEqual({ status: 401, code: 'unauthenticated' });
    expect(await refuse(path('p'), [protocol, buildBearerProtocol('wrong')])).toEqual({
      status: 401,
      code: 'unauthenticated',
    });
    expect(await refuse(path('p'), [bearer])).toEqual({ status: 400, code: 'invalid_request' });
    expect(await refuse(path('p'), [protocol, bearer])).toEqual({ status: 404, code: 'process_not_found' });
    expect(await refuse(`${path('p')}&mode=own`, [protocol, bearer])).toEqual({
      status: 400,
      code: 'invalid_request',
    });
    expect(await refuse(path('p').replace(sandbox.id, 's000000000000'), [protocol, bearer])).toEqual({
      status: 404,
      code: 'sandbox_not_found',
    });
    const session = await sandbox.process('p').attach();
    await expect(new Reader(session).ended).rejects.toMatchObject({ code: 'process_not_found' });
  });
});
