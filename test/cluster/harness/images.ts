/** Builds the images out of the Dockerfiles and loads them into the node, once per content. */
import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CLUSTER, ROOT } from './cluster.ts';

const run = promisify(execFile);
const ENVIRONMENT = { ...process.env, BUILDAH_ISOLATION: 'chroot' };

async function hashTree(path: string): Promise<string> {
  const facts = await stat(path);
  const hash = createHash('sha256');
  if (!facts.isDirectory()) return hash.update(await readFile(path)).digest('hex');
  for (const name of (await readdir(path)).toSorted())
    hash.update(name).update(await hashTree(join(path, name)));
  return hash.digest('hex');
}

interface ImageSource {
  readonly name: string;
  readonly dockerfile: string;
  /** What its content depends on. */
  readonly sources: readonly string[];
  /** The image that it builds on, where that is one of ours. */
  readonly base?: string;
}

const BARE_DOCKERFILE = 'test/cluster/harness/bare.Dockerfile';
const PYTHON_DOCKERFILE = 'test/cluster/harness/python.Dockerfile';

const SOURCES = {
  host: ['deploy/images/host.Dockerfile', 'deploy/images/host', 'packages/cli/dist/host'],
  server: ['deploy/images/server.Dockerfile', 'packages/cli/dist', 'packages/cli/bin'],
};

/** The image of `deploy/images/NAME.Dockerfile`, as the node knows it. */
export async function ensureImage(name: 'host' | 'server'): Promise<string> {
  const dockerfile = `deploy/images/${name}.Dockerfile`;
  return await ensure({ name: `omnigent-${name}`, dockerfile, sources: SOURCES[name] });
}

/** An image that has a shell and nothing else: no C library, no git, no tini, no user. */
export async function ensureBareImage(): Promise<string> {
  return await ensure({ name: 'bare', dockerfile: BARE_DOCKERFILE, sources: [BARE_DOCKERFILE] });
}

/** A host image with python3 instead of tini. */
export async function ensurePythonImage(): Promise<string> {
  const base = await ensureImage('host');
  const sources = [...SOURCES.host, PYTHON_DOCKERFILE];
  return await ensure({ name: 'omnigent-python', dockerfile: PYTHON_DOCKERFILE, sources, base });
}

async function ensure(source: ImageSource): Promise<string> {
  const hashes = await Promise.all(source.sources.map((path) => hashTree(join(ROOT, path))));
  const tag = createHash('sha256').update(hashes.join()).digest('hex').slice(0, 12);
  const image = `localhost/${source.name}:${tag}`;
  const { stdout } = await run(CLUSTER, ['images']);
  if (!stdout.split('\n').includes(image)) await buildAndLoad(source, image);
  return image;
}

/** Makes an image known to the node by a fixed tag too, as the local overlay names it. */
export async function tagImage(image: string, tagged: string): Promise<void> {
  await run('buildah', ['tag', image, tagged], { env: ENVIRONMENT });
  await load(tagged);
}

async function buildAndLoad({ dockerfile, base }: ImageSource, image: string): Promise<void> {
  const options = { cwd: ROOT, env: ENVIRONMENT, maxBuffer: 64 * 1024 * 1024 };
  await run(CLUSTER, ['base-image'], options);
  const from = base === undefined ? [] : ['--build-arg', `BASE=${base}`];
  // Layers are kept, so that a new bundle does not install the packages again.
  await run(
    'buildah',
    ['bud', '--layers', '--pull-never', '-q', ...from, '-t', image, '-f', dockerfile, '.'],
    options,
  );
  await load(image);
}

async function load(image: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'omnigent-image-'));
  try {
    const archive = join(directory, 'image.tar');
    await run('buildah', ['push', '-q', image, `docker-archive:${archive}:${image}`], { env: ENVIRONMENT });
    await run(CLUSTER, ['load', archive]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
