/** Quantities of Kubernetes (`500m`, `1Gi`, `1e3`). */
import * as z from 'zod';

const QUANTITY = /^(\d+(?:\.\d*)?|\.\d+)([num]|[kMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/;
const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The value of a quantity as a number; undefined when it is none. */
export function parseQuantity(text: string): number | undefined {
  const [, number, suffix = ''] = (text.endsWith('\n') ? null : QUANTITY.exec(text)) ?? [];
  if (number === undefined) return undefined;
  if (/^[eE][+-]?\d+$/.test(suffix)) return Number(`${number}${suffix}`);
  return Number(number) * (FACTORS[suffix] ?? 1);
}

/** A quantity; a YAML number is taken as text. */
export const quantitySchema = z
  .union([z.string(), z.number().nonnegative().transform(String)])
  .refine((text) => parseQuantity(text) !== undefined, 'expected a quantity such as 500m, 2 or 4Gi');
