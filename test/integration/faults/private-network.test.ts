/** Everything that a host and the command open reaches a server behind TLS of a private CA and a proxy with a password. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOST_ROUTES, SERVER_ROUTES } from '@omnigent/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificate } from '../../cluster/harness/certificate.ts';
import type { Certificate } from '../../cluster/harness/certificate.ts';
import { Installation, collect } from '../command/omnigent.ts';
import { isReady, startTestServer, waitForEvent } from '../server-harness/test-server.ts';
import type { TestServer } from '../server-harness/test-server.ts';
import { Terminal } from '../terminal/terminal.ts';
import { HIDDEN_ADDRESS, startPrivateNetwork } from './private-network.ts';
import type { PrivateNetwork } from './private-network.ts';

const SANDBOX = 'hidden';
const HAS_OPENSSL = spawnSync('openssl', ['version']).status === 0;

let network: PrivateNetwork;
let api: TestServer;
let installation: Installation;
let certificate: Certificate;
let directory = '';
let id = '';
let env: Record<string, string> = {};

describe.skipIf(!HAS_OPENSSL)(`a private network ${HAS_OPENSSL ? '' : '(openssl is not installed)'}`, () => {
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'omnigent-network-'));
    certificate = await createCertificate(HIDDEN_ADDRESS);
    const caBundle = join(directory, 'ca.crt');
    await writeFile(caBundle, certificate.ca);
    network = await startPrivateNetwork(certificate);
    const hostEnvironment = { HTTPS_PROXY: network.proxyUrl, OMNIGENT_CA_BUNDLE: caBundle };
    api = await startTestServer({ url: network.url, hostEnvironment });
    network.target = Number(new URL(api.server.url).port);
    installation = await Installation.create();
    env = {
      OMNIGENT_SERVER: network.url,
      OMNIGENT_TOKEN: api.token,
      HTTPS_PROXY: network.proxyUrl,
      OMNIGENT_CA_BUNDLE: caBundle,
    };
    ({ id } = await api.launch({ name: SANDBOX }));
    await waitForEvent(api.events(id), isReady);
  });
  afterAll(async () => {
    await installation[Symbol.asyncDispose]();
    await api[Symbol.asyncDispose]();
    await network[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  it('a program in a terminal, left and attached again', async () => {
    const script = 'read line; echo "got $line"; read line; echo "then $line"; exit 7';
    const first = Terminal.omnigent(installation, ['exec', '-t', SANDBOX, '--', 'sh', '-c', script], { env });
    first.type('one\r');
    await first.whenShown('got one');
    first.type('\x10\x11');
    const { shown } = await first.ended;
    const processId = /omnigent attach hidden (\S+)/.exec(shown)?.[1] ?? 'no process named';
    const second = Terminal.omnigent(installation, ['attach', SANDBOX, processId], { env });
    await second.whenShown('got one');
    second.type('two\r');
    await second.whenShown('then two');
    expect((await second.ended).exit_code).toBe(7);
  });

  it('a port of this machine that leads into the sandbox', async () => {
    const script = `
    const server = require('node:net').createServer((socket) => socket.pipe(socket));
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));
  `;
    const program = installation.start(['exec', SANDBOX, '--', process.execPath, '-e', script], { env });
    const [port] = await once(program.stdout ?? program, 'data');
    const forward = installation.start(['forward', SANDBOX, `:${String(port).trim()}`], { env });
    const [note] = await once(forward.stderr ?? forward, 'data');
    const local = Number(/127\.0\.0\.1:(\d+)/.exec(String(note))?.[1]);
    const socket = connect(local, '127.0.0.1');
    socket.write('there and back');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toBe('there and back');
    socket.destroy();
    const ends = [forward, program].map(async (child) => await collect(child));
    for (const child of [forward, program]) child.kill('SIGTERM');
    await Promise.all(ends);
  });

  it('a proxy that does not know the password is named, the password is not', async () => {
    const HTTPS_PROXY = network.proxyUrl.replace('team:', 'other:');
    const { status, stderr } = await installation.run(['ls'], { env: { ...env, HTTPS_PROXY } });
    expect(status).toBe(1);
    expect(stderr).toContain('407');
    expect(stderr).not.toContain('word');
  });

  it('a private CA that is not known ends the command with the option that helps', async () => {
    const { status, stderr } = await installation.run(['ls'], { env: { ...env, OMNIGENT_CA_BUNDLE: '' } });
    expect(status).toBe(1);
    expect(stderr).toContain('--ca-bundle');
  });

  it('a certificate that changes is tried again: the host is back when the right one is', async () => {
    const before = network.counts.passed;
    network.showCertificate(await createCertificate(HIDDEN_ADDRESS));
    await expect.poll(() => network.counts.passed - before, { timeout: 30_000 }).toBeGreaterThan(1);
    const { stderr } = await installation.run(['ls'], { env });
    expect(stderr).toContain('--ca-bundle');
    network.showCertificate(certificate);
    const status = SERVER_ROUTES.host(id, HOST_ROUTES.status);
    await expect.poll(async () => (await api.call('GET', status)).status, { timeout: 40_000 }).toBe(200);
  }, 90_000);
});
