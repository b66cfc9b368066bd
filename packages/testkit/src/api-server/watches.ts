/** Open watches, and what a test can do to them. */
import type { ServerResponse } from 'node:http';
import type { ApiObject } from './api-object.ts';
import type { ApiRequest } from './api-request.ts';
import type { FakeState } from './fake-state.ts';
import type { StoreChange } from './object-store.ts';
import { findResource } from './resources.ts';
import { buildSelector } from './selectors.ts';
import type { Matcher } from './selectors.ts';
import { expired, toStatusObject } from './status.ts';
import type { ApiStatus } from './status.ts';

export interface Watches {
  /** How many are open. */
  readonly size: number;
  open(request: ApiRequest, response: ServerResponse): void;
  /** Ends them all as a server does whose time is up. */
  end(): void;
  /** Resets their connections. */
  reset(): void;
  /** While muted, events are swallowed and the streams stay open; they are not sent later. */
  mute(isMuted: boolean): void;
  sendBookmark(): void;
  /** An `ERROR` event, after which the server closes. */
  sendError(status: ApiStatus): void;
  /** Raw text, such as half a line. */
  sendText(text: string): void;
}

interface OpenWatch {
  readonly response: ServerResponse;
  readonly isBookmarked: boolean;
  readonly resource: string;
  readonly close: AbortController;
}

const BOOKMARK_MS = 60_000;
const DEFAULT_TIMEOUT_SECONDS = 1_800;

const toLine = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`;

/** What a watcher sees of a change: an object that stops matching is as good as deleted. */
function toVisible({ type, object, previous }: StoreChange, matches: Matcher): string | null {
  const isNow = type !== 'DELETED' && matches(object);
  const wasBefore = previous !== null && matches(previous);
  if (isNow) return toLine(wasBefore ? 'MODIFIED' : 'ADDED', object);
  return wasBefore ? toLine('DELETED', object) : null;
}

/** The first lines of a watch: the changes since its version, or all objects when it names none. */
function buildFirstLines(request: ApiRequest, state: FakeState, matches: Matcher): string[] {
  const { resource, namespace, query } = request;
  const from = query.get('resourceVersion') ?? '';
  if (from === '' || from === '0')
    return state.store
      .list(resource, namespace)
      .filter(matches)
      .map((object: ApiObject) => toLine('ADDED', object));
  const changes = state.store.changesAfter(Number(from));
  if (changes === null) throw expired();
  return changes.flatMap((change) => (isFor(change, request) ? (toVisible(change, matches) ?? []) : []));
}

function isFor({ resource, object }: StoreChange, request: ApiRequest): boolean {
  return (
    resource === request.resource &&
    (request.namespace === '' || object.metadata.namespace === request.namespace)
  );
}

/** None open yet. */
export function createWatches(state: FakeState): Watches {
  const { store, clock } = state;
  const open = new Set<OpenWatch>();
  let isMuted = false;

  function write({ response }: OpenWatch, text: string): void {
    if (!isMuted) response.write(text);
  }

  function writeBookmark(watch: OpenWatch): void {
    const kind = findResource(watch.resource)?.kind ?? '';
    const metadata = { resourceVersion: String(store.version), creationTimestamp: null };
    if (watch.isBookmarked) write(watch, toLine('BOOKMARK', { kind, apiVersion: 'v1', metadata }));
  }

  async function keepBookmarking(watch: OpenWatch): Promise<void> {
    for (;;) {
      await clock.sleep(BOOKMARK_MS, { signal: watch.close.signal, unref: true });
      writeBookmark(watch);
    }
  }

  async function endInTime(watch: OpenWatch, query: URLSearchParams): Promise<void> {
    const seconds = Number(query.get('timeoutSeconds') ?? DEFAULT_TIMEOUT_SECONDS);
    await clock.sleep(seconds * 1000, { signal: watch.close.signal, unref: true });
    if (!isMuted) watch.response.end();
  }

  return {
    get size() {
      return open.size;
    },
    open(request, response) {
      const matches = buildSelector(request.query);
      const lines = buildFirstLinesOrGone(request, state, matches);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      const isBookmarked = request.query.get('allowWatchBookmarks') === 'true';
      const watch = { response, isBookmarked, resource: request.resource, close: new AbortController() };
      if (lines.length > 0) write(watch, lines.join(''));
      if (lines.at(-1)?.startsWith('{"type":"ERROR"')) return void response.end();
      open.add(watch);
      const unsubscribe = store.onChange((change) => {
        const line = isFor(change, request) ? toVisible(change, matches) : null;
        if (line !== null) write(watch, line);
      });
      response.on('close', () => {
        open.delete(watch);
        unsubscribe();
        watch.close.abort();
      });
      // Both end with the watch.
      keepBookmarking(watch).catch(() => undefined);
      endInTime(watch, request.query).catch(() => undefined);
    },
    end() {
      for (const { response } of open) response.end();
    },
    reset() {
      for (const { response } of open) response.socket?.resetAndDestroy();
    },
    mute(value) {
      isMuted = value;
    },
    sendBookmark() {
      for (const watch of open) writeBookmark(watch);
    },
    sendError(status) {
      for (const { response } of open) response.end(toLine('ERROR', toStatusObject(status)));
    },
    sendText(text) {
      for (const { response } of open) response.write(text);
    },
  };
}

function buildFirstLinesOrGone(request: ApiRequest, state: FakeState, matches: Matcher): string[] {
  try {
    return buildFirstLines(request, state, matches);
  } catch (error) {
    if (state.goneForm === 'status') throw error;
    return [toLine('ERROR', toStatusObject(expired().status))];
  }
}
