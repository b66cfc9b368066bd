/** Names of the objects of a sandbox: valid for every Unicode label, random, never cut in a wrong place. */
import type { RandomBytes } from '@omnigent/protocol';

const MAX_SLUG = 40;

/** Lower-case slug of a label; `host` when nothing is left of it. */
export function toSlug(label: string): string {
  const slug = label
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/-+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, MAX_SLUG)
    .replace(/-$/, '');
  return slug === '' ? 'host' : slug;
}

/** `omnigent-<slug>-<6 hex>`: a valid RFC 1123 label of at most 63 characters. */
export function buildPodName(label: string, randomBytes: RandomBytes): string {
  return `omnigent-${toSlug(label)}-${Buffer.from(randomBytes(3)).toString('hex')}`;
}

/** Name of a Pod's token Secret. */
export function buildTokenSecretName(podName: string): string {
  return `${podName}-token`;
}
