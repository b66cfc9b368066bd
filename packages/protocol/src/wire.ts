/** Small schemas that several messages use. */
import * as z from 'zod';

export const isoOrNull = z.iso.datetime().nullable();

/** A query flag: `1` is set, `0` or absent is not. */
export const flagSchema = z.enum(['0', '1']).default('0');

/** What is needed of a schema to check a message: for packages that do not use zod themselves. */
export interface Schema<Output> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: Output }
    | { readonly success: false; readonly error: { readonly issues: readonly SchemaIssue[] } };
}

/** What is wrong with a message, and where. */
export interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}
