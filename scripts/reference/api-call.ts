/** One call of the public API, as data. */
import type { z } from 'zod';

/** A schema with the name under which the page shows it. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: z.ZodType;
}

/** One call. */
export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly meaning: string;
  readonly query?: NamedSchema;
  readonly body?: NamedSchema;
  readonly answer?: NamedSchema;
}

/** Gives a schema its name. */
export const named = (name: string, schema: z.ZodType): NamedSchema => ({ name, schema });
