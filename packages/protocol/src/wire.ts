/** Small schemas that several messages use. */
import * as z from 'zod';

export const isoOrNull = z.iso.datetime().nullable();

/** A query flag: `1` is set, `0` or absent is not. */
export const flagSchema = z.enum(['0', '1']).default('0');
