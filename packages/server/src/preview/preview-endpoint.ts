/** Requests for previews, taken before the API's own routes see them; only sequences. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SandboxError, isSandboxError } from '@omnigent/protocol';
import type { ApiContext } from '../api/context.ts';
import { toKnownError } from '../api/problem-replies.ts';
import { findCallable } from '../forward/public-call.ts';
import type { Report } from '../lifecycle/service-options.ts';
import type { PreviewDomain } from '../settings/preview-domain.ts';
import type { SandboxRecord } from '../store/sandbox-record.ts';
import type { Upgrade } from '../tunnel/upgrade.ts';
import { authorizePreview } from './authorize.ts';
import { buildFacts } from './build-facts.ts';
import { renderPreviewCookie } from './cookies.ts';
import { replyPreviewError } from './error-page.ts';
import { openProgram } from './open-program.ts';
import { SESSION_MS } from './preview-sessions.ts';
import type { PreviewSessions } from './preview-sessions.ts';
import { findTarget } from './preview-target.ts';
import type { PreviewTarget } from './preview-target.ts';
import { proxyRequest } from './proxy-request.ts';
import type { Exchange } from './proxy-request.ts';
import { proxyUpgrade } from './proxy-upgrade.ts';
import { hasBody } from './request-headers.ts';
import { takeTicket, toLocation } from './ticket-query.ts';

export interface PreviewOptions {
  readonly context: ApiContext;
  readonly sessions: PreviewSessions;
  readonly domain: PreviewDomain | undefined;
  readonly report: Report;
}

export class PreviewEndpoint {
  readonly #options: PreviewOptions;

  constructor(options: PreviewOptions) {
    this.#options = options;
  }

  /** Answers a request if it is about a preview. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const target = this.#find(request);
    if (target === undefined) return false;
    const { metrics } = this.#options.context;
    response.once('close', () =>
      metrics.observeRequest({
        method: request.method ?? '',
        route: 'preview',
        status: response.statusCode,
      }),
    );
    this.#answer({ request, response }, target).catch((error: unknown) =>
      this.#refuse({ request, response }, error),
    );
    return true;
  }

  /** Answers an upgrade if it is about a preview. @throws SandboxError when it is refused; nothing has been sent then. */
  takeUpgrade(upgrade: Upgrade): Promise<void> | undefined {
    const target = this.#find(upgrade.request);
    return target && this.#acceptUpgrade(upgrade, target);
  }

  #find({ url = '/', headers }: IncomingMessage): PreviewTarget | undefined {
    return findTarget({ url, host: headers.host }, this.#options.domain);
  }

  async #acceptUpgrade(upgrade: Upgrade, target: PreviewTarget): Promise<void> {
    const { request, duplex } = upgrade;
    if (hasBody(request))
      throw new SandboxError(
        'invalid_request',
        'expected an upgrade without a body; send it without Upgrade',
      );
    const { url } = takeTicket(target.url);
    const { record, isAuthorizationOurs } = await this.#admit(request, target);
    const facts = buildFacts(request, target, { ...this.#options, isAuthorizationOurs, isUpgrade: true });
    const program = await openProgram(this.#options.context.connections.get(record.hostId), target.port);
    const { touch } = this.#options.context;
    touch(record.id);
    duplex.once('close', () => touch(record.id));
    await proxyUpgrade(upgrade, { ...facts.program, url, socket: program }, facts.answer);
  }

  async #answer({ request, response }: Exchange, target: PreviewTarget): Promise<void> {
    const { ticket, url } = takeTicket(target.url);
    if (ticket !== undefined && target.kind === 'name' && request.method === 'GET')
      return this.#open({ request, response }, target, { ticket, url });
    const { record, isAuthorizationOurs } = await this.#admit(request, target);
    const { connections, touch } = this.#options.context;
    touch(record.id);
    response.once('close', () => touch(record.id));
    const facts = buildFacts(request, target, { ...this.#options, isAuthorizationOurs, isUpgrade: false });
    const socket = await openProgram(connections.get(record.hostId), target.port);
    await proxyRequest({ request, response }, { ...facts.program, url, socket }, facts.answer);
  }

  #refuse({ request, response }: Exchange, error: unknown): void {
    const known = toKnownError(error);
    const requestId = randomUUID();
    if (!isSandboxError(known)) this.#options.report('a preview failed', { request_id: requestId, error });
    if (response.headersSent || response.destroyed) return void response.destroy();
    response.setHeader('x-request-id', requestId);
    replyPreviewError(request, response, known);
  }

  async #admit(
    request: IncomingMessage,
    target: PreviewTarget,
  ): Promise<{ readonly record: SandboxRecord; readonly isAuthorizationOurs: boolean }> {
    const { context, sessions } = this.#options;
    const { authenticate } = context;
    const { owner, isAuthorizationOurs } = authorizePreview(request, target, { authenticate, sessions });
    return { record: await findCallable(context, owner, target.sandbox), isAuthorizationOurs };
  }

  /** Exchanges a ticket for a cookie and leads to the same address without it. */
  #open(
    { request, response }: Exchange,
    target: PreviewTarget,
    { ticket, url }: { readonly ticket: string; readonly url: string },
  ): void {
    const { sessions, domain, context } = this.#options;
    const session = sessions.redeem(ticket, target.sandbox, target.port);
    // A browser that asks twice has its cookie by now.
    if (session === undefined) authorizePreview(request, target, { ...context, sessions });
    response.writeHead(302, {
      location: toLocation(url),
      'content-length': 0,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      ...(session === undefined || domain === undefined
        ? {}
        : { 'set-cookie': renderPreviewCookie(session.secret, SESSION_MS / 1000, domain) }),
    });
    response.end();
  }
}
