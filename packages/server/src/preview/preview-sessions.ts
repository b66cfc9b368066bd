/**
 * Who may see which preview: tickets that work once, and the sessions that they open. In memory: a restart ends both.
 * What they open is checked anew with every request, so that they end with their sandbox.
 */
import type { Clock, RandomBytes } from '@omnigent/protocol';
import { createToken, toDigest } from '../tunnel/token.ts';

/** What a ticket or session is good for. */
export interface PreviewGrant {
  readonly owner: string;
  readonly sandboxId: string;
  readonly port: number;
}

export interface IssuedSecret {
  readonly secret: string;
  readonly expiresAt: number;
}

const TICKET_MS = 2 * 60 * 1000;
export const SESSION_MS = 8 * 3600 * 1000;
/** Past this many, the oldest go. */
const MAX_HELD = 10_000;

export class PreviewSessions {
  readonly #randomBytes: RandomBytes;
  readonly #tickets: HeldGrants;
  readonly #sessions: HeldGrants;

  constructor({ clock, randomBytes }: { readonly clock: Clock; readonly randomBytes: RandomBytes }) {
    this.#randomBytes = randomBytes;
    this.#tickets = new HeldGrants(clock, TICKET_MS);
    this.#sessions = new HeldGrants(clock, SESSION_MS);
  }

  issueTicket(grant: PreviewGrant): IssuedSecret {
    return this.#issue(this.#tickets, grant);
  }

  /** The session that a ticket opens; undefined when it is none, was used, is too old, or is for something else. */
  redeem(ticket: string, sandboxId: string, port: number): IssuedSecret | undefined {
    const digest = toDigest(ticket);
    const grant = this.#tickets.find(digest);
    if (grant === undefined || grant.sandboxId !== sandboxId || grant.port !== port) return undefined;
    this.#tickets.delete(digest);
    return this.#issue(this.#sessions, grant);
  }

  /** The owner for whom one of these secrets opened this preview. */
  findOwner(secrets: readonly string[], sandboxId: string, port: number): string | undefined {
    return secrets
      .map((secret) => this.#sessions.find(toDigest(secret)))
      .find((grant) => grant?.sandboxId === sandboxId && grant.port === port)?.owner;
  }

  #issue(held: HeldGrants, grant: PreviewGrant): IssuedSecret {
    const secret = createToken(this.#randomBytes);
    return { secret, expiresAt: held.add(toDigest(secret), grant) };
  }
}

/** Grants by the digest of their secret, all for the same time: the first is the oldest. */
class HeldGrants {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #grants = new Map<string, { readonly grant: PreviewGrant; readonly endsAtMs: number }>();

  constructor(clock: Clock, lifetimeMs: number) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
  }

  /** @returns when it expires, by the clock on the wall; it is measured by one that does not jump. */
  add(digest: string, grant: PreviewGrant): number {
    const now = this.#clock.monotonicMs();
    for (const [old, { endsAtMs }] of this.#grants) {
      if (endsAtMs > now && this.#grants.size < MAX_HELD) break;
      this.#grants.delete(old);
    }
    this.#grants.set(digest, { grant, endsAtMs: now + this.#lifetimeMs });
    return this.#clock.now() + this.#lifetimeMs;
  }

  find(digest: string): PreviewGrant | undefined {
    const held = this.#grants.get(digest);
    return held !== undefined && held.endsAtMs > this.#clock.monotonicMs() ? held.grant : undefined;
  }

  delete(digest: string): void {
    this.#grants.delete(digest);
  }
}
