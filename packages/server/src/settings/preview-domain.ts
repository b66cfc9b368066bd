/** The setting `preview_domain`: every preview is a name below it, so that each has an origin of its own. Pure. */
import { SandboxError } from '@omnigent/protocol';

export interface PreviewDomain {
  readonly scheme: 'http' | 'https';
  /** In lower case, without a dot at its ends. */
  readonly domain: string;
  /** Port in addresses; undefined: the scheme's, or the server's own for names of this machine. */
  readonly port: number | undefined;
}

/** Browsers take every name below `localhost` to this machine without asking anyone. */
export const LOOPBACK_PREVIEWS: PreviewDomain = { scheme: 'http', domain: 'localhost', port: undefined };

const FORM = /^(?:(https?):\/\/)?([a-z0-9.-]+)(?::(\d{1,5}))?$/;
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** What the longest name of a preview, `65535--s0123456789ab.`, leaves of the 253 characters that a name may have. */
const MAX_DOMAIN = 253 - '65535--s0123456789ab.'.length;

/** @throws SandboxError `invalid_config`. */
export function parsePreviewDomain(text: string): PreviewDomain {
  const [, scheme, domain = '', portText] = FORM.exec(text.toLowerCase()) ?? [];
  const labels = domain.split('.');
  const port = portText === undefined ? undefined : Number(portText);
  const isName = labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '');
  if (!isName || domain.length > MAX_DOMAIN || port === 0 || (port ?? 1) > 65_535)
    throw new SandboxError(
      'invalid_config',
      `server.preview_domain: expected DOMAIN such as preview.example.com or http://DOMAIN:PORT, found ${JSON.stringify(text)}`,
    );
  const isHttp = scheme === undefined ? isLocalName(domain) : scheme === 'http';
  return { scheme: isHttp ? 'http' : 'https', domain, port };
}

/** Whether a domain is one of this machine alone. */
export function isLocalName(domain: string): boolean {
  return domain === 'localhost' || domain.endsWith('.localhost');
}
