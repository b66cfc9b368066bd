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

/** The image of `deploy/images/NAME.Dockerfile`, as the node knows it. */
export async function ensureImage(name: 'host' | 'server'): Promise<string> {
  const sources = ['deploy/images', 'packages/cli/dist', 'packages/cli/bin'];
  const hashes = await Promise.all(sources.map((source) => hashTree(join(ROOT, source))));
  const tag = createHash('sha256').update(hashes.join()).digest('hex').slice(0, 12);
  const image = `localhost/omnigent-${name}:${tag}`;
  const { stdout } = await run(CLUSTER, ['images']);
  if (
    !stdout.includes(image) &&
    !stdout.split('\n').some((line) => line.includes(`omnigent-${name}`) && line.includes(tag))
  )
    await buildAndLoad(name, image);
  return image;
}

/** Makes an image known to the node by a fixed tag too, as the local overlay names it. */
export async function tagImage(image: string, tagged: string): Promise<void> {
  await run('buildah', ['tag', image, tagged], { env: ENVIRONMENT });
  await load(tagged);
}

async function buildAndLoad(name: string, image: string): Promise<void> {
  await run(CLUSTER, ['base-image'], { env: ENVIRONMENT, maxBuffer: 64 * 1024 * 1024 });
  await run(
    'buildah',
    ['bud', '--pull-never', '-q', '-t', image, '-f', `deploy/images/${name}.Dockerfile`, '.'],
    {
      cwd: ROOT,
      env: ENVIRONMENT,
      maxBuffer: 64 * 1024 * 1024,
    },
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
