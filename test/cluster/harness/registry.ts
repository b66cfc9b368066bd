/** A registry on loopback, where the node takes plain http, behind a door that answers what a busy or broken registry answers. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request as sendRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { ROOT } from './cluster.ts';

const run = promisify(execFile);

/** `serve`: hand on to the registry; `silence`: take the request and say nothing; a number: that status. */
export type RegistryMood = 'serve' | 'silence' | number;

export interface Registry extends AsyncDisposable {
  /** A reference that no other test uses, all of the same image; its repository behaves as it is told. */
  reference(repository: string, mood: RegistryMood): string;
  setMood(repository: string, mood: RegistryMood): void;
  /** Breaks the connections whose requests were not answered. */
  hangUp(repository: string): void;
  /** How often the node asked for the repository. */
  count(repository: string): number;
}

const IMAGE = 'bare';

async function findFreePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Starts Debian's registry; resolves when it listens. */
async function startRegistry(directory: string, port: number) {
  const config = {
    version: 0.1,
    log: { level: 'info' },
    storage: { filesystem: { rootdirectory: join(directory, 'data') } },
    http: { addr: `127.0.0.1:${port}` },
  };
  const file = join(directory, 'config.yml');
  await writeFile(file, JSON.stringify(config));
  const child = spawn('docker-registry', ['serve', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('listening on')) break;
  child.stderr.resume();
  return child;
}

/** Builds the image that has a shell and nothing else, and pushes it. */
async function pushImage(port: number): Promise<void> {
  const options = { cwd: ROOT, env: { ...process.env, BUILDAH_ISOLATION: 'chroot' } };
  const reference = `127.0.0.1:${port}/${IMAGE}:1`;
  const dockerfile = 'test/cluster/harness/bare.Dockerfile';
  await run(
    'buildah',
    ['bud', '--layers', '--pull-never', '-q', '-t', reference, '-f', dockerfile, '.'],
    options,
  );
  await run('buildah', ['push', '-q', '--tls-verify=false', reference], options);
  await run('buildah', ['rmi', reference], options);
}

const findRepository = (url: string): string | undefined => /^\/v2\/([^/]+)\//.exec(url)?.[1];

class Door {
  readonly moods = new Map<string, RegistryMood>();
  readonly counts = new Map<string, number>();
  readonly waiting = new Map<string, ServerResponse[]>();
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const repository = findRepository(request.url ?? '');
    const mood = repository === undefined ? 'serve' : (this.moods.get(repository) ?? 'serve');
    if (repository !== undefined) this.counts.set(repository, (this.counts.get(repository) ?? 0) + 1);
    if (mood === 'silence')
      return void this.waiting.set(repository ?? '', [
        ...(this.waiting.get(repository ?? '') ?? []),
        response,
      ]);
    if (mood === 'serve') return this.#forward(request, response);
    const code = mood === 429 ? 'TOOMANYREQUESTS' : 'UNKNOWN';
    response.writeHead(mood, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ errors: [{ code, message: 'slow down' }] }));
  }

  #forward(request: IncomingMessage, response: ServerResponse): void {
    const { method, headers } = request;
    // Every repository is the same image under another name.
    const path = (request.url ?? '').replace(/^\/v2\/[^/]+\//, `/v2/${IMAGE}/`);
    const onward = sendRequest({ host: '127.0.0.1', port: this.#port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  }
}

export async function openRegistry(): Promise<Registry> {
  const directory = await mkdtemp(join(tmpdir(), 'omnigent-registry-'));
  const port = await findFreePort();
  const child = await startRegistry(directory, port);
  await pushImage(port);
  const door = new Door(port);
  const server = createServer((request, response) => door.answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    reference(repository, mood) {
      door.moods.set(repository, mood);
      return `${address}/${repository}:1`;
    },
    setMood: (repository, mood) => void door.moods.set(repository, mood),
    hangUp(repository) {
      for (const response of door.waiting.get(repository) ?? []) response.destroy();
    },
    count: (repository) => door.counts.get(repository) ?? 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      await rm(directory, { recursive: true });
    },
  };
}
