/** Previews: a web server in a sandbox, seen from outside. */
import * as z from 'zod';

export const portSchema = z.int().min(1).max(65_535);

/** Body of `POST /v1/sandboxes/{id}/preview`. */
export const createPreviewSchema = z.strictObject({ port: portSchema });

export const previewSchema = z.object({
  /** Opens the preview in one browser, once, until `expires_at`; whoever has it may use it. */
  url: z.url(),
  expires_at: z.iso.datetime(),
});

/** Query parameter of a preview's address with the ticket that its first visit exchanges for a cookie. */
export const PREVIEW_TICKET = 'omnigent-ticket';

/** The cookies that open a preview; the first where addresses are https. They never reach the program. */
export const PREVIEW_COOKIES = ['__Host-omnigent-preview', 'omnigent-preview'] as const;
