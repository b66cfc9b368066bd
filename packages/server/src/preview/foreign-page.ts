/** Whether a page of another origin makes a browser send a request. Pure. */
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Previews below one domain are one site for browsers, so that a page of one preview could send requests to another with its
 * visitor's cookie. A link may lead here; nothing else from elsewhere is taken.
 */
export function isFromForeignPage(method: string, headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  if (site === undefined) return isForeignOrigin(headers);
  if (site === 'same-origin' || site === 'none') return false;
  const isLink = mode === 'navigate' && destination === 'document' && (method === 'GET' || method === 'HEAD');
  return !isLink;
}

/** For browsers that say only this much, and for WebSockets of some. */
function isForeignOrigin({ origin, host }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== toHost(host ?? '');
}

/** As {@link URL} spells it. */
function toHost(host: string): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).host : host;
}
