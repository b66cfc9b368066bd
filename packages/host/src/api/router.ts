/** Finds the route of a request; a path without the method is told apart from an unknown path. */
import { SandboxError } from '@omnigent/protocol';
import type { Exchange } from './exchange.ts';

export interface Route {
  readonly method: string;
  /** Segments that begin with `:` are parameters. */
  readonly path: string;
  readonly answer: (exchange: Exchange, parameters: Readonly<Record<string, string>>) => Promise<void> | void;
}

interface CompiledRoute extends Route {
  readonly segments: readonly string[];
}

/** Creates the function that answers any exchange. */
export function createRouter(routes: readonly Route[]): (exchange: Exchange) => Promise<void> {
  const compiled = routes.map((route) => ({ ...route, segments: route.path.split('/') }));
  return async (exchange) => {
    try {
      const segments = exchange.path.split('/').map(decodeSegment);
      const matching = compiled.filter((route) => matches(route, segments));
      const route = matching.find(({ method }) => method === exchange.method);
      if (route === undefined) throw toRouteError(exchange, matching);
      await route.answer(exchange, readParameters(route, segments));
    } catch (error) {
      exchange.fail(error);
    }
  };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new SandboxError('invalid_request', 'the path has a broken % escape', { cause });
  }
}

function matches({ segments }: CompiledRoute, found: readonly string[]): boolean {
  return (
    segments.length === found.length &&
    segments.every((part, index) => part.startsWith(':') || part === found[index])
  );
}

function readParameters({ segments }: CompiledRoute, found: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    segments.flatMap((part, index) => (part.startsWith(':') ? [[part.slice(1), found[index] ?? '']] : [])),
  );
}

function toRouteError(exchange: Exchange, matching: readonly Route[]): SandboxError {
  if (matching.length === 0) return new SandboxError('host_unsupported', `this host has no ${exchange.path}`);
  const methods = matching.map(({ method }) => method).join(', ');
  return new SandboxError('host_unsupported', `${exchange.path} takes ${methods}, found ${exchange.method}`);
}
