/** The cookie of a preview among those of the program. Pure. */
import { PREVIEW_COOKIES } from '@omnigent/protocol';
import type { PreviewDomain } from '../settings/preview-domain.ts';

const OURS: readonly string[] = PREVIEW_COOKIES;

/** Values of our cookies, of which a page can plant false ones beside the true one. */
export function readPreviewCookies(header: string | undefined): string[] {
  return splitCookies(header).flatMap(({ name, value }) => (OURS.includes(name) ? [value] : []));
}

/** A `Cookie` header without ours; undefined when nothing is left of it. A header without ours keeps every byte. */
export function removePreviewCookies(header: string): string | undefined {
  const cookies = splitCookies(header);
  const others = cookies.filter(({ name }) => !OURS.includes(name));
  if (others.length === cookies.length) return header;
  return others.length === 0 ? undefined : others.map(({ text }) => text).join('; ');
}

/** The `Set-Cookie` that opens a preview for one browser and one origin. */
export function renderPreviewCookie(value: string, maxAgeSeconds: number, { scheme }: PreviewDomain): string {
  const [secureName, plainName] = PREVIEW_COOKIES;
  const isSecure = scheme === 'https';
  return (
    `${isSecure ? secureName : plainName}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax` +
    (isSecure ? '; Secure' : '')
  );
}

/** Whether a program may set this cookie: it is not ours, and goes to no other host than that of the preview. */
export function isOwnCookie(setCookie: string, hostname: string): boolean {
  const [pair = '', ...attributes] = setCookie.split(';');
  if (OURS.includes((pair.split('=')[0] ?? '').trim())) return false;
  return attributes.every((attribute) => {
    const [key = '', value = ''] = attribute.split('=').map((part) => part.trim().toLowerCase());
    return key !== 'domain' || value === '' || value.replace(/^\./, '') === hostname;
  });
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly text: string;
}

function splitCookies(header: string | undefined): Cookie[] {
  return (header ?? '').split(';').flatMap((part) => {
    const text = part.trim();
    const at = text.indexOf('=');
    const name = at < 0 ? text : text.slice(0, at).trim();
    return text === '' ? [] : [{ name, value: at < 0 ? '' : text.slice(at + 1).trim(), text }];
  });
}
