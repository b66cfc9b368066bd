/** Faults that are switched on for the requests to come. */
import { isRecord } from './api-object.ts';
import type { ApiRequest } from './api-request.ts';
import type { ApiStatus } from './status.ts';

/** Which requests; every field that is given must match. */
export interface RequestMatch {
  readonly verb?: ApiRequest['verb'];
  readonly resource?: string;
  readonly name?: string;
}

export type FaultEffect =
  /** Refused with a Status. */
  | {
      readonly type: 'refuse';
      readonly status: ApiStatus;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Any answer, such as a proxy's page. */
  | {
      readonly type: 'answer';
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Nothing is done, and the connection is reset. */
  | { readonly type: 'reset' }
  /** It is done, and the connection is reset instead of an answer. */
  | { readonly type: 'lose-answer' }
  /** Nothing is done and nothing is answered, while the connection stays. */
  | { readonly type: 'silence' }
  /** It is done, and never answered, while the connection stays. */
  | { readonly type: 'swallow-answer' }
  /** It is done and answered so much later, by the server's clock. */
  | { readonly type: 'delay'; readonly delayMs: number }
  /** It is done and answered with half of the body before the connection is reset. */
  | { readonly type: 'truncate' };

export interface FaultRule {
  readonly match?: RequestMatch | ((request: ApiRequest) => boolean);
  /** How many requests it strikes; default 1. */
  readonly times?: number;
  /** How many matching requests pass first; default 0. */
  readonly after?: number;
  readonly effect: FaultEffect;
}

export interface InjectedFault {
  /** How many requests it struck. */
  readonly hits: number;
  remove(): void;
}

export interface Faults {
  inject(rule: FaultRule): InjectedFault;
  /** The effect on a request, which uses it up. */
  take(request: ApiRequest): FaultEffect | null;
  clear(): void;
}

function readBodyName(body: unknown): string | undefined {
  const metadata = isRecord(body) ? body['metadata'] : undefined;
  const name = isRecord(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Whether a request is one of those; a create is named by its body. */
export function isMatch(request: ApiRequest, match: RequestMatch): boolean {
  const { verb, resource, name } = match;
  return (
    (verb === undefined || verb === request.verb) &&
    (resource === undefined || resource === request.resource) &&
    (name === undefined || name === request.name || name === readBodyName(request.body))
  );
}

interface Active {
  readonly rule: FaultRule;
  seen: number;
  hits: number;
}

function strikes({ rule, seen, hits }: Active, request: ApiRequest): 'no' | 'later' | 'now' {
  const { match = {}, times = 1, after = 0 } = rule;
  if (hits >= times) return 'no';
  const matches = typeof match === 'function' ? match(request) : isMatch(request, match);
  if (!matches) return 'no';
  return seen < after ? 'later' : 'now';
}

/** No faults yet. */
export function createFaults(): Faults {
  const active = new Set<Active>();
  return {
    inject(rule) {
      const fault: Active = { rule, seen: 0, hits: 0 };
      active.add(fault);
      return {
        get hits() {
          return fault.hits;
        },
        remove: () => active.delete(fault),
      };
    },
    take(request) {
      for (const fault of active) {
        const when = strikes(fault, request);
        if (when === 'no') continue;
        fault.seen += 1;
        if (when === 'later') continue;
        fault.hits += 1;
        return fault.rule.effect;
      }
      return null;
    },
    clear: () => active.clear(),
  };
}
