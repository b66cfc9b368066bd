/** `sandbox.files` of the SDK against a whole server. */
import { randomBytes } from 'node:crypto';
import { createClient } from '@omnigent/client';
import { expect, it } from 'vitest';
import { startTestServer } from '../server-harness/test-server.ts';

it('files are written, described, listed, read and removed', async () => {
  await using api = await startTestServer();
  const client = createClient({ url: api.server.url, token: 'a-token-of-these-tests-only' });
  await using sandbox = await client.launch({});
  await sandbox.whenReady();
  const { files } = sandbox;
  const data = new Uint8Array(randomBytes(2 * 1024 * 1024));
  await files.createDirectory('out/deep', { mode: 0o700 });
  await files.write('out/text', 'grüße', { mode: 0o600 });
  await files.write('new/data', new Blob([data]).stream(), { parents: true });
  expect(await files.readText('out/text')).toBe('grüße');
  expect(Buffer.from(await files.readBytes('new/data')).equals(data)).toBe(true);
  expect(await files.stat('out/text')).toMatchObject({ kind: 'file', size: 7, mode: 0o600 });
  const { items, truncated } = await files.list('out');
  expect([items.map(({ kind, mode }) => [kind, mode]), truncated]).toEqual([
    [
      ['directory', 0o700],
      ['file', 0o600],
    ],
    false,
  ]);
  await files.remove('out', { recursive: true });
  await expect(files.readText('out/text')).rejects.toMatchObject({ code: 'file_not_found' });
  await expect(files.stat('/proc/self/environ')).rejects.toMatchObject({ code: 'path_forbidden' });
});
