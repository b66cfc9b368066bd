import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { builtSchema, lazySchema } from './lazy-schema.ts';
import { makeSchemasLazy } from './lazy-schemas.ts';

/** The module without the import that names a path of this machine. */
function rewrite(text: string): string {
  return makeSchemasLazy(text).replace(/^import \{[^}]*\} from "[^"]*";/, '');
}

describe('makeSchemasLazy', () => {
  test.each([
    ['export const aSchema = z.string();', 'export const aSchema = $lazySchema(() => z.string());'],
    [
      "import * as z from 'zod'; const a = z.string().min(1);",
      "import * as z from 'zod'; const a = $lazySchema(() => z.string().min(1));",
    ],
    [
      'export const b = z.object({ a: aSchema, ...cSchema.shape, d: z.array(dSchema) });',
      'export const b = $lazySchema(() => z.object({ a: $builtSchema(aSchema), ...$builtSchema(cSchema).shape, d: z.array($builtSchema(dSchema)) }));',
    ],
    [
      'const q = aSchema.extend({ b: bSchema });',
      'const q = $lazySchema(() => $builtSchema(aSchema).extend({ b: $builtSchema(bSchema) }));',
    ],
  ])('turns %j into %j', (text, expected) => expect(rewrite(text)).toBe(expected));

  test.each([
    'const value = aSchema.parse(text);',
    'const list = buildSchema(z.string());',
    'function f() { const aSchema = z.string(); return aSchema; }',
    'export type A = z.infer<typeof aSchema>;',
    'const { aSchema } = schemas;',
  ])('leaves %j', (text) => expect(makeSchemasLazy(text)).toBe(text));
});

describe('lazySchema', () => {
  test('builds at the first use, once', () => {
    let built = 0;
    const schema = lazySchema(() => {
      built += 1;
      return z.strictObject({ a: z.string() });
    });
    expect(built).toBe(0);
    expect(schema.safeParse({ a: 'x' }).success).toBe(true);
    expect(schema.parse({ a: 'y' })).toEqual({ a: 'y' });
    expect(built).toBe(1);
  });

  test('is a schema in every respect', () => {
    const plain = z.strictObject({ a: z.string(), b: z.int().optional() });
    const lazy = lazySchema(() => plain);
    expect(lazy).toBeInstanceOf(z.ZodObject);
    expect(Object.keys(lazy.shape)).toEqual(['a', 'b']);
    expect(z.toJSONSchema(lazy)).toEqual(z.toJSONSchema(plain));
    expect(z.array(builtSchema(lazy)).parse([{ a: 'x' }])).toEqual([{ a: 'x' }]);
  });
});

test('builtSchema returns anything else as it is', () => {
  const values = [undefined, null, 'text', 3, () => 1, { a: 1 }];
  expect(values.map((value) => builtSchema(value))).toEqual(values);
  expect(builtSchema(values[5])).toBe(values[5]);
});
