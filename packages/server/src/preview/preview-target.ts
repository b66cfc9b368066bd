/** Which port of which sandbox a request is about: by its host name, or by a prefix of its path. Pure. */
import type { PreviewDomain } from '../settings/preview-domain.ts';

export interface PreviewTarget {
  /** `name`: an origin of its own, for browsers. `path`: below the server's own, for programs with a bearer token. */
  readonly kind: 'name' | 'path';
  /** The sandbox's id, or as the path spells it. */
  readonly sandbox: string;
  readonly port: number;
  /** Path and query at the program, byte for byte as they came. */
  readonly url: string;
  /** What was taken off the path; empty for names. */
  readonly prefix: string;
}

export interface RequestLine {
  readonly url: string;
  readonly host: string | undefined;
}

const NAME = /^([1-9]\d{0,4})--(s[0-9a-z]{12})$/;
const PATH = /^\/preview\/([^/?]+)\/([1-9]\d{0,4})(?=[/?]|$)/;

/** Undefined: the request is not about a preview. */
export function findTarget(line: RequestLine, domain: PreviewDomain | undefined): PreviewTarget | undefined {
  const url = toOriginForm(line.url);
  return findByName(url, line.host, domain) ?? findByPath(url);
}

/** The name of a preview below the domain. */
export function buildPreviewName(sandboxId: string, port: number, { domain }: PreviewDomain): string {
  return `${port}--${sandboxId}.${domain}`;
}

function findByName(
  url: string,
  host: string | undefined,
  domain: PreviewDomain | undefined,
): PreviewTarget | undefined {
  if (domain === undefined || host === undefined) return undefined;
  const name = host.toLowerCase().replace(/:\d*$/, '');
  const suffix = `.${domain.domain}`;
  if (!name.endsWith(suffix)) return undefined;
  const [, port = '', sandbox = ''] = NAME.exec(name.slice(0, -suffix.length)) ?? [];
  return isPort(port) ? { kind: 'name', sandbox, port: Number(port), url, prefix: '' } : undefined;
}

function findByPath(url: string): PreviewTarget | undefined {
  const [prefix = '', sandbox = '', port = ''] = PATH.exec(url) ?? [];
  if (!isPort(port)) return undefined;
  const rest = url.slice(prefix.length);
  return {
    kind: 'path',
    sandbox,
    port: Number(port),
    url: rest.startsWith('/') ? rest : `/${rest}`,
    prefix,
  };
}

function isPort(text: string): boolean {
  return text !== '' && Number(text) <= 65_535;
}

/** A client may name the whole address as it does for a proxy; the host is in its own header. */
function toOriginForm(url: string): string {
  const rest = url.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest.startsWith('?') || rest === '' ? `/${rest}` : rest;
}
