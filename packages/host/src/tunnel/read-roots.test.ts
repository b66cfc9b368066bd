import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRoots } from './read-roots.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'roots-'));
});
afterAll(async () => await rm(directory, { recursive: true, force: true }));

describe('readRoots', () => {
  it('adds the file to what is trusted anyway', async () => {
    const path = join(directory, 'roots.pem');
    const [pem = ''] = rootCertificates;
    await writeFile(path, pem);
    const roots = await readRoots(path);
    expect(roots.at(-1)).toBe(pem);
    expect(roots.length).toBeGreaterThan(rootCertificates.length / 2);
  });

  it('names the option when the file is not there or holds no certificate', async () => {
    const none = join(directory, 'none.pem');
    await expect(readRoots(none)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(none),
    });
    await writeFile(join(directory, 'key.pem'), '-----BEGIN PRIVATE KEY-----');
    await expect(readRoots(join(directory, 'key.pem'))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^--ca-bundle: expected PEM certificates/),
    });
  });
});
