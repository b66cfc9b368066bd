import { expect, test } from 'vitest';
import { HOST_BUNDLE_LIMIT_BYTES, createBundle } from './bundles.ts';

test('the host is one file of at most 300 KB', async () => {
  const files = await createBundle('host');
  expect(files).toHaveLength(1);
  expect(files[0]?.contents.byteLength).toBeLessThanOrEqual(HOST_BUNDLE_LIMIT_BYTES);
});
