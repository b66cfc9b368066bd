/** A git server over https with a private CA: one repository for everyone, one that asks for a token. */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificate } from './certificate.ts';

export const GIT_TOKEN = 'a-git-token-that-only-the-harness-secret-knows';

export interface GitServer extends AsyncDisposable {
  readonly url: string;
  /** PEM of the CA. */
  readonly ca: string;
  /** The commit on `main` of every repository. */
  readonly head: string;
}

/** Runs git with the identity of the tests; returns what it printed. */
export function git(args: readonly string[], cwd: string): string {
  const identity = [
    '-c',
    'user.name=Test',
    '-c',
    'user.email=test@example.com',
    '-c',
    'init.defaultBranch=main',
  ];
  return execFileSync('git', [...identity, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** Larger than the memory and the disk of a sandbox that is to fail. */
const LARGE_BYTES = 80 * 1024 * 1024;

/** One blob that does not compress. */
function createLargeRepository(directory: string): void {
  git(['init', '-q', 'large'], directory);
  const large = join(directory, 'large');
  writeFileSync(join(large, 'blob'), randomBytes(LARGE_BYTES));
  git(['-c', 'core.compression=0', 'add', '.'], large);
  git(['-c', 'core.compression=0', 'commit', '-q', '-m', 'one'], large);
  git(['clone', '-q', '--bare', 'large', 'large.git'], directory);
}

function createRepositories(directory: string): string {
  git(['init', '-q', 'work'], directory);
  const work = join(directory, 'work');
  execFileSync('sh', ['-c', 'echo hello > file'], { cwd: work });
  git(['add', '.'], work);
  git(['commit', '-q', '-m', 'one'], work);
  for (const name of ['public', 'private']) git(['clone', '-q', '--bare', 'work', `${name}.git`], directory);
  return git(['rev-parse', 'HEAD'], work);
}

function isAllowed(request: IncomingMessage): boolean {
  if (!request.url?.startsWith('/private.git/')) return true;
  const expected = `Basic ${Buffer.from(`x-access-token:${GIT_TOKEN}`).toString('base64')}`;
  return request.headers.authorization === expected;
}

/** Hands a request to `git http-backend` (CGI). */
function serve(root: string, request: IncomingMessage, response: ServerResponse): void {
  if (!isAllowed(request)) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    return;
  }
  const url = new URL(request.url ?? '/', 'https://git');
  const backend = spawn('git', ['http-backend'], {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(backend.stdin);
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.once('close', () => sendCgi(response, Buffer.concat(chunks)));
}

function sendCgi(response: ServerResponse, output: Buffer): void {
  const end = output.indexOf('\r\n\r\n');
  const headers = output
    .subarray(0, end)
    .toString()
    .split('\r\n')
    .map((line) => line.split(/: (.*)/, 2));
  const status = headers.find(([name]) => name === 'Status')?.[1];
  response.writeHead(
    status === undefined ? 200 : Number.parseInt(status, 10),
    Object.fromEntries(headers.filter(([name]) => name !== 'Status')) as Record<string, string>,
  );
  response.end(output.subarray(end + 4));
}

export interface GitServerOptions {
  /** Also offer `large.git`, with one file of 80 MiB. */
  readonly withLarge?: boolean;
}

/** Starts the server at an address that Pods reach. */
export async function startGitServer(
  address: string,
  { withLarge = false }: GitServerOptions = {},
): Promise<GitServer> {
  const directory = await mkdtemp(join(tmpdir(), 'omnigent-git-'));
  const head = createRepositories(directory);
  if (withLarge) createLargeRepository(directory);
  const { key, cert, ca } = await createCertificate(address);
  const server = createServer({ key, cert }, (request, response) => serve(directory, request, response));
  server.listen(0, address);
  await once(server, 'listening');
  return {
    url: `https://${address}:${(server.address() as AddressInfo).port}`,
    ca,
    head,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
