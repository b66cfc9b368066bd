/** The address of a preview, with a ticket that opens it once. */
import { PREVIEW_TICKET } from '@omnigent/protocol';
import { isLocalName } from '../settings/preview-domain.ts';
import type { PreviewDomain } from '../settings/preview-domain.ts';
import type { PreviewGrant, PreviewSessions } from './preview-sessions.ts';
import { buildPreviewName } from './preview-target.ts';

export interface OpenedPreview {
  readonly url: string;
  readonly expiresAt: number;
}

/** @param serverPort where this server listens. */
export function issuePreviewAddress(
  grant: PreviewGrant,
  { sessions, domain, serverPort }: { sessions: PreviewSessions; domain: PreviewDomain; serverPort: number },
): OpenedPreview {
  const { secret, expiresAt } = sessions.issueTicket(grant);
  const port = domain.port ?? (isLocalName(domain.domain) ? serverPort : undefined);
  const name = buildPreviewName(grant.sandboxId, grant.port, domain);
  const authority = port === undefined ? name : `${name}:${port}`;
  return { url: `${domain.scheme}://${authority}/?${PREVIEW_TICKET}=${secret}`, expiresAt };
}
