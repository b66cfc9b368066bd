/** Ports of real sandboxes: what listens, connections both ways, half-closed ones, resets, and nobody else's ports. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { RunningProcess, SandboxHandle } from '@omnigent/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Installation } from '../command/omnigent.ts';

/** Listens on a free port of an address, prints it, and treats each connection as the mode says. */
const SERVER = `
import hashlib, socket, struct, sys, threading
mode, address = sys.argv[1], sys.argv[2]
server = socket.create_server((address, 0), family=socket.AF_INET6 if ':' in address else socket.AF_INET)
print(server.getsockname()[1], flush=True)
def digest(conn):
    total = hashlib.sha256()
    while chunk := conn.recv(65536): total.update(chunk)
    conn.sendall(total.hexdigest().encode())
def source(conn):
    block = bytes(range(256)) * 256
    for _ in range(int(conn.recv(64))): conn.sendall(block)
def reset(conn):
    conn.recv(1)
    conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
def serve(conn):
    with conn: {'digest': digest, 'source': source, 'reset': reset}[mode](conn)
while True: threading.Thread(target=serve, args=(server.accept()[0],)).start()
`;
const BLOCK = Buffer.from(Array.from({ length: 65_536 }, (_, index) => index % 256));

let omnigent: Installation;
let sandbox: SandboxHandle;
beforeAll(async () => {
  omnigent = await Installation.create();
  await omnigent.run(['run', '--keep', '--name', 'ports', '--', 'true']);
  sandbox = await (await omnigent.connect()).get('ports');
});
afterAll(async () => {
  await sandbox.terminate();
  await omnigent[Symbol.asyncDispose]();
});

interface Listening {
  readonly program: RunningProcess;
  readonly port: number;
}

async function listen(target: SandboxHandle, mode: string, address = '127.0.0.1'): Promise<Listening> {
  const program = target.prepare(['python3', '-c', SERVER, mode, address]);
  for await (const { stream, data } of program.output())
    if (stream === 1) return { program, port: Number(Buffer.from(data).toString()) };
  throw new Error('the server of the test did not start');
}

describe('a port of a sandbox', () => {
  it('is listed with its program, and only while it is there', async () => {
    const { program, port } = await listen(sandbox, 'digest');
    const listed = (await sandbox.ports()).find((item) => item.port === port);
    expect(listed).toMatchObject({ address: '127.0.0.1', program: 'python3' });
    await program.signal('SIGKILL');
    await expect.poll(async () => (await sandbox.ports()).map((item) => item.port)).not.toContain(port);
  });

  it.each(['127.0.0.1', '::1'])('on %s takes bytes to their end and answers after it', async (address) => {
    const { port } = await listen(sandbox, 'digest', address);
    await using connection = await sandbox.connect(port);
    const hash = createHash('sha256');
    for (let block = 0; block < 480; block += 1) {
      hash.update(BLOCK);
      await connection.write(BLOCK);
    }
    connection.end();
    const chunks: Uint8Array[] = [];
    for await (const chunk of connection.chunks()) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(hash.digest('hex'));
  });

  it('sends at the pace of its reader, byte for byte', async () => {
    const { port } = await listen(sandbox, 'source');
    await using connection = await sandbox.connect(port);
    await connection.write(Buffer.from('800'));
    let bytes = 0;
    for await (const chunk of connection.chunks()) {
      const at = bytes % 256;
      if (!Buffer.from(chunk).equals(Buffer.from(chunk).map((_, index) => (at + index) % 256)))
        throw new Error(`other bytes than expected near ${bytes}`);
      bytes += chunk.length;
      // A reader that rests now and then.
      if (bytes % 7 === 0) await new Promise(setImmediate);
    }
    expect(bytes).toBe(800 * BLOCK.length);
  });

  it('that resets a connection is told as a reset', async () => {
    const { port } = await listen(sandbox, 'reset');
    await using connection = await sandbox.connect(port);
    await connection.write(Buffer.from('x'));
    const read = async () => {
      for await (const _ of connection.chunks());
    };
    await expect(read()).rejects.toMatchObject({ code: 'connection_reset' });
  });

  it('on which nothing listens is an error that says so', async () =>
    await expect(sandbox.connect(9)).rejects.toMatchObject({
      code: 'port_not_listening',
      message: expect.stringContaining('port 9'),
    }));

  it('of another sandbox, or of the machine, is none of it', async () => {
    const client = await omnigent.connect();
    await using other = await client.launch({});
    const { port } = await listen(other, 'digest');
    expect((await sandbox.ports()).map((item) => item.port)).not.toContain(port);
    await expect(sandbox.connect(port)).rejects.toMatchObject({ code: 'port_not_listening' });
    const server = Number(new URL((await omnigent.readServer()).url).port);
    await expect(sandbox.connect(server)).rejects.toMatchObject({ code: 'port_not_listening' });
  });
});

describe('omnigent forward', () => {
  /** Starts the command; resolves with it and the local ports that it has told. */
  async function forward(ports: readonly string[]) {
    const child = omnigent.start(['forward', 'ports', ...ports]);
    const local: number[] = [];
    for await (const line of createInterface({ input: child.stderr ?? process.stdin })) {
      const port = /forwarding 127\.0\.0\.1:(\d+) ->/.exec(line)?.[1];
      if (port !== undefined) local.push(Number(port));
      if (local.length === ports.length) break;
    }
    return { child, local };
  }

  async function readAll(socket: Socket): Promise<string> {
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return text;
  }

  it('carries many connections to several ports, each to its own end', async () => {
    const [digest, source] = [await listen(sandbox, 'digest'), await listen(sandbox, 'source')];
    const { child, local } = await forward([`:${digest.port}`, `:${source.port}`]);
    const [digestPort = 0, sourcePort = 0] = local;
    const digests = Array.from({ length: 30 }, async (_, index) => {
      const socket = connect({ port: digestPort, host: '127.0.0.1', allowHalfOpen: true });
      const data = Buffer.alloc(10_000 * index, index);
      socket.end(data);
      expect(await readAll(socket)).toBe(createHash('sha256').update(data).digest('hex'));
    });
    const socket = connect({ port: sourcePort, host: '127.0.0.1' });
    socket.write('3');
    expect(await readAll(socket)).toHaveLength(BLOCK.toString().repeat(3).length);
    await Promise.all(digests);
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    expect((await ended)[0]).toBe(0);
  });

  it('closes a connection to a port on which nothing listens, and goes on', async () => {
    const { program, port } = await listen(sandbox, 'digest');
    const { child, local } = await forward([`:${port}`]);
    await program.signal('SIGKILL');
    await expect.poll(async () => (await sandbox.ports()).map((item) => item.port)).not.toContain(port);
    const socket = connect({ port: local[0] ?? 0, host: '127.0.0.1' });
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
    expect(child.exitCode).toBeNull();
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
  });

  it.each([
    [['ports'], 'expected a port'],
    [['ports', '8080:x'], '"8080:x"'],
    [['ports', '--address', '192.0.2.1', '8080'], '192.0.2.1'],
  ])('%j is refused with exit status 2', async (args, text) => {
    const result = await omnigent.run(['forward', ...args]);
    expect(result).toMatchObject({ status: 2, stderr: expect.stringContaining(text) });
  });
});
