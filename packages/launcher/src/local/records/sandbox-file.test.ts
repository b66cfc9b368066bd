import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSandboxFile, writeSandboxFile } from './sandbox-file.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'omnigent-record-'));
});
afterAll(async () => await rm(directory, { recursive: true }));

const FILE = {
  instance: 'demo',
  host_id: 'h0123456789ab',
  created_at: 1,
  isolation: 'bubblewrap',
  process: { pid: 7, start_time: '123', boot_id: 'b' },
} as const;

describe('the record of a sandbox', () => {
  it('is read as it was written, and nothing is left beside it', async () => {
    const path = join(directory, 'sandbox.json');
    await writeSandboxFile(path, { ...FILE, process: null });
    await writeSandboxFile(path, FILE);
    expect(await readSandboxFile(path)).toEqual(FILE);
    expect(await readdir(directory)).toEqual(['sandbox.json']);
  });

  it.each(['', '{', '[]', '{"instance":"demo"}', JSON.stringify({ ...FILE, process: 7 })])(
    'that reads %j is none',
    async (text) => {
      const path = join(directory, 'broken.json');
      await writeFile(path, text);
      expect(await readSandboxFile(path)).toBeUndefined();
      await rm(path);
    },
  );

  it('is none when there is no file or no directory', async () => {
    expect(await readSandboxFile(join(directory, 'none.json'))).toBeUndefined();
    expect(await readSandboxFile(join(directory, 'none', 'sandbox.json'))).toBeUndefined();
  });

  it('that cannot be read is an error and not none', async () => {
    await expect(readSandboxFile(directory)).rejects.toThrow('EISDIR');
  });
});
