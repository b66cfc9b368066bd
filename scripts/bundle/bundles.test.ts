import { describe, expect, test } from 'vitest';
import { BUNDLES, HOST_BUNDLE_LIMIT_BYTES, createBundle } from './bundles.ts';

const bundles = await Promise.all(BUNDLES.map(async (name) => ({ name, files: await createBundle(name) })));

/** Files of one bundle. */
function filesOf(name: string): { path: string; text: string; contents: Uint8Array }[] {
  return bundles.find((bundle) => bundle.name === name)?.files ?? [];
}

describe('a bundle', () => {
  test('of the host is one file of at most 300 KB', () => {
    expect(filesOf('host')).toHaveLength(1);
    expect(filesOf('host')[0]?.contents.byteLength).toBeLessThanOrEqual(HOST_BUNDLE_LIMIT_BYTES);
  });

  test.each(BUNDLES)(
    'of %s loads no built-in module as an ES module, which loads fetch at its start',
    (name) => {
      const imports = filesOf(name).flatMap(({ text }) => [
        ...text.matchAll(/\bfrom ?["'](node:[a-z/_]+)["']/g),
      ]);
      expect(imports.map(([, builtin]) => builtin).filter((builtin) => builtin !== 'node:module')).toEqual(
        [],
      );
    },
  );

  test.each(BUNDLES)(
    'of %s takes a built-in module that it loads late as it is, by the names of its exports',
    (name) => {
      expect(filesOf(name).filter(({ path }) => /node_[a-z_]+-\w+\.js$/.test(path))).toEqual([]);
    },
  );

  test('of the command loads what TLS and proxies need when they are asked for', () => {
    const late = filesOf('cli').flatMap(({ text }) => [...text.matchAll(/\bimport\(["'](node:\w+)["']\)/g)]);
    expect(new Set(late.map(([, builtin]) => builtin))).toEqual(
      new Set(['node:http', 'node:https', 'node:tls']),
    );
  });

  test('of the server carries the messages of one language', () => {
    expect(filesOf('server').filter(({ text }) => text.includes('Invalid input'))).not.toEqual([]);
    expect(filesOf('server').filter(({ text }) => text.includes('Ung\\xFCltige Eingabe'))).toEqual([]);
  });
});
