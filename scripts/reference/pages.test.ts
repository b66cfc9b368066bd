import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ERRORS } from '@omnigent/protocol';
import { describe, expect, test } from 'vitest';
import { REFERENCE_PAGES } from './pages.ts';
import { renderErrors } from './render-errors.ts';
import { renderTable } from './render-table.ts';

const folder = fileURLToPath(new URL('../../docs/reference/', import.meta.url));

describe('docs/reference', () => {
  test.each(REFERENCE_PAGES)(
    '$name is what the code says (else: npm run reference)',
    async ({ name, render }) => {
      expect(await readFile(folder + name, 'utf8')).toBe(await render());
    },
  );

  test('lists every error code once', () => {
    const codes = [...renderErrors().matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
    expect(codes).toEqual(Object.keys(ERRORS));
  });
});

test('a table keeps its columns whatever the cells hold', () => {
  expect(renderTable(['a', 'b'], [['1|2', 'x\ny']])).toBe('| a | b |\n| --- | --- |\n| 1\\|2 | x y |');
});
