import { expect, test } from 'vitest';
import { BUNDLES, HOST_BUNDLE_LIMIT_BYTES, createBundle } from './bundles.ts';

test('the host is one file of at most 300 KB', async () => {
  const files = await createBundle('host');
  expect(files).toHaveLength(1);
  expect(files[0]?.contents.byteLength).toBeLessThanOrEqual(HOST_BUNDLE_LIMIT_BYTES);
});

test.each(BUNDLES)(
  '%s loads no built-in module as an ES module, which would load all of fetch at its start',
  async (name) => {
    const files = await createBundle(name);
    const imports = files.flatMap(({ text }) => [...text.matchAll(/\bfrom ?["'](node:[a-z/_]+)["']/g)]);
    expect(imports.map(([, builtin]) => builtin).filter((builtin) => builtin !== 'node:module')).toEqual([]);
  },
);

test('the server carries the messages of one language', async () => {
  const files = await createBundle('server');
  expect(files.filter(({ text }) => text.includes('Invalid input'))).not.toEqual([]);
  expect(files.filter(({ text }) => text.includes('Ung\\xFCltige Eingabe'))).toEqual([]);
});
