/** Names of sandbox directories. */
import type { RandomBytes } from '@omnigent/protocol';

const MAX_SLUG = 40;
const RANDOM_BYTES = 3;

/** `<slug>-<6 hex>`: readable, a valid directory name of at most 47 characters for every text, and never taken by chance. */
export function buildProviderId(name: string, randomBytes: RandomBytes): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_SLUG)
    .replace(/-$/, '');
  return `${slug === '' ? 'host' : slug}-${Buffer.from(randomBytes(RANDOM_BYTES)).toString('hex')}`;
}
