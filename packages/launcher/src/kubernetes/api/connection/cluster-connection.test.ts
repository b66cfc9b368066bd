import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFakeApiServer } from '@omnigent/testkit';
import type { FakeApiServer } from '@omnigent/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClusterClient } from '../create-cluster-client.ts';
import { openClusterConnection } from './cluster-connection.ts';

const signal = new AbortController().signal;
let api: FakeApiServer;
let directory: string;

beforeEach(async () => {
  api = await createFakeApiServer();
  directory = await mkdtemp(path.join(tmpdir(), 'omnigent-connection-'));
});

afterEach(async () => {
  await api.close();
  await rm(directory, { recursive: true });
});

async function write(name: string, content: unknown): Promise<string> {
  const file = path.join(directory, name);
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

function buildConfig(user: object, cluster: object = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: api.url, ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
}

async function open(files: readonly string[]) {
  const environment = { KUBECONFIG: files.join(path.delimiter) };
  const connection = await openClusterConnection({ environment, inCluster: false });
  return createClusterClient({ connection, namespace: 'omnigent-sandboxes', watchLabels: {} });
}

const authorizations = () => api.requests.map(({ authorization }) => authorization);

describe('credentials', () => {
  it('are read again from their file after one 401, and the request succeeds', async () => {
    const tokenFile = await write('token', 'old\n');
    const client = await open([await write('config', buildConfig({ tokenFile }))]);
    api.rights.acceptTokens(['old']);
    await client.readVersion({ signal });
    await write('token', 'new\n');
    api.rights.acceptTokens(['new']);
    await client.readVersion({ signal });
    expect(authorizations()).toEqual(['Bearer old', 'Bearer old', 'Bearer new']);
    await client.close();
  });

  it('that stay refused fail after one more try', async () => {
    const client = await open([await write('config', buildConfig({ token: 'wrong' }))]);
    api.rights.acceptTokens(['right']);
    await expect(client.readVersion({ signal })).rejects.toMatchObject({
      code: 'cluster_unauthorized',
      status: 401,
    });
    expect(api.count()).toBe(2);
    await client.close();
  });

  it('come from an exec plugin, which runs again after a 401', async () => {
    const script = await write(
      'plugin.mjs',
      `import { readFileSync } from 'node:fs';
       const token = readFileSync(${JSON.stringify(path.join(directory, 'current'))}, 'utf8');
       console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token } }));`,
    );
    await write('current', 'first');
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: [script] };
    const client = await open([await write('config', buildConfig({ exec }))]);
    await client.readVersion({ signal });
    await write('current', 'second');
    api.rights.acceptTokens(['second']);
    await client.readVersion({ signal });
    expect(authorizations()).toEqual(['Bearer first', 'Bearer first', 'Bearer second']);
    await client.close();
  });

  it('that an exec plugin cannot give are an error with its words', async () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', 'console.error("please log in"); process.exit(1)'],
    };
    const client = await open([await write('config', buildConfig({ exec }))]);
    await expect(client.readVersion({ signal })).rejects.toMatchObject({
      code: 'cluster_unauthorized',
      message: expect.stringContaining('please log in'),
    });
    expect(api.count()).toBe(0);
    await client.close();
  });

  it('of a user name and password are sent as basic', async () => {
    const client = await open([await write('config', buildConfig({ username: 'me', password: 'pass' }))]);
    await client.readVersion({ signal });
    expect(authorizations()).toEqual([`Basic ${Buffer.from('me:pass').toString('base64')}`]);
    await client.close();
  });
});

describe('a kubeconfig', () => {
  it('may be spread over several files, of which earlier ones win', async () => {
    const base = buildConfig({ token: 'mine' });
    const first = await write('first', { ...base, clusters: [] });
    const second = await write('second', { ...base, users: [{ name: 'u', user: { token: 'theirs' } }] });
    const client = await open([first, second]);
    await client.readVersion({ signal });
    expect(authorizations()).toEqual(['Bearer mine']);
    await client.close();
  });

  it('whose server has a path keeps it', async () => {
    const client = await open([
      await write('config', buildConfig({ token: 't' }, { server: `${api.url}/k8s/clusters/c1/` })),
    ]);
    await expect(client.readVersion({ signal })).rejects.toMatchObject({ status: 404 });
    expect(client.server).toBe(api.url);
    await client.close();
  });

  const broken: [string, unknown, RegExp][] = [
    ['is no YAML', '{{', /cannot be read as a kubeconfig/],
    [
      'names no cluster',
      { apiVersion: 'v1', kind: 'Config', clusters: [], users: [], contexts: [] },
      /no cluster for its current context/,
    ],
    ['is empty', '', /cannot be read as a kubeconfig/],
  ];
  it.each(broken)('that %s is an error that says so', async (_what, content, message) => {
    await expect(open([await write('config', content)])).rejects.toMatchObject({
      code: 'cluster_config',
      message: expect.stringMatching(message),
    });
  });

  it('whose server is no URL is an error that names it', async () => {
    const file = await write('config', buildConfig({ token: 't' }, { server: 'ftp://x' }));
    await expect(open([file])).rejects.toMatchObject({
      code: 'cluster_config',
      message: expect.stringContaining('ftp://x'),
    });
  });

  it('does not touch another that is open at the same time', async () => {
    const one = await open([await write('one', buildConfig({ token: 'one' }))]);
    const other = await open([await write('other', buildConfig({ token: 'other' }))]);
    await one.readVersion({ signal });
    await other.readVersion({ signal });
    expect(authorizations()).toEqual(['Bearer one', 'Bearer other']);
    await one.close();
    await other.readVersion({ signal });
    await other.close();
  });
});

it('says that nobody listens', async () => {
  const client = await open([
    await write('config', buildConfig({ token: 't' }, { server: 'http://127.0.0.1:1' })),
  ]);
  await expect(client.readVersion({ signal, retryForMs: 0 })).rejects.toMatchObject({
    code: 'cluster_unreachable',
    fault: { kind: 'unreachable', systemCode: 'ECONNREFUSED' },
  });
  await client.close();
});
