/** One open watch: what it sees of each change, its bookmarks and its end. */
import type { ServerResponse } from 'node:http';
import type { ApiObject } from './api-object.ts';
import type { ApiRequest } from './api-request.ts';
import type { FakeState } from './fake-state.ts';
import type { StoreChange } from './object-store.ts';
import { findResource } from './resources.ts';
import { buildSelector } from './selectors.ts';
import type { Matcher } from './selectors.ts';
import { ApiRefusal, expired, toStatusObject } from './status.ts';

export interface WatchStream {
  readonly response: ServerResponse;
  sendBookmark(): void;
}

export interface WatchStreamOptions {
  readonly request: ApiRequest;
  readonly response: ServerResponse;
  readonly state: FakeState;
  /** Whether text is swallowed now. */
  readonly isMuted: () => boolean;
}

const BOOKMARK_MS = 60_000;
const DEFAULT_TIMEOUT_SECONDS = 1_800;

/** One line of a watch. */
export const toLine = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`;

function isFor({ resource, object }: StoreChange, { resource: wanted, namespace }: ApiRequest): boolean {
  return resource === wanted && (namespace === '' || object.metadata.namespace === namespace);
}

/** What a watcher sees of a change: an object that stops matching is as good as deleted. */
function toVisible({ type, object, previous }: StoreChange, matches: Matcher): string[] {
  const isNow = type !== 'DELETED' && matches(object);
  const wasBefore = previous !== null && matches(previous);
  if (isNow) return [toLine(wasBefore ? 'MODIFIED' : 'ADDED', object)];
  return wasBefore ? [toLine('DELETED', object)] : [];
}

/** The first lines of a watch: the changes since its version, or all objects when it names none. */
function buildFirstLines(request: ApiRequest, state: FakeState, matches: Matcher): string[] {
  const { resource, namespace, query } = request;
  const from = query.get('resourceVersion') ?? '';
  if (from === '' || from === '0') {
    const objects = state.store.list(resource, namespace).filter(matches);
    return objects.map((object: ApiObject) => toLine('ADDED', object));
  }
  const changes = state.store.changesAfter(Number(from));
  if (changes === null) throw expired();
  return changes.filter((change) => isFor(change, request)).flatMap((change) => toVisible(change, matches));
}

/** The lines of a version that is too old, unless the status says it. */
function toGoneLines(error: unknown, { goneForm }: FakeState): string[] {
  if (!(error instanceof ApiRefusal) || goneForm === 'status') throw error;
  return [toLine('ERROR', toStatusObject(error.status))];
}

function buildBookmark({ resource }: ApiRequest, { store }: FakeState): string {
  const kind = findResource(resource)?.kind ?? '';
  const metadata = { resourceVersion: String(store.version), creationTimestamp: null };
  return toLine('BOOKMARK', { kind, apiVersion: 'v1', metadata });
}

async function repeat(
  everyMs: number,
  state: FakeState,
  run: { signal: AbortSignal; once: () => void },
): Promise<never> {
  for (;;) {
    await state.clock.sleep(everyMs, { signal: run.signal, unref: true });
    run.once();
  }
}

function open(options: WatchStreamOptions, matches: Matcher): WatchStream {
  const { request, response, state, isMuted } = options;
  const write = (text: string) => void (isMuted() || response.write(text));
  const isBookmarked = request.query.get('allowWatchBookmarks') === 'true';
  const sendBookmark = () => void (isBookmarked && write(buildBookmark(request, state)));
  const closed = new AbortController();
  const unsubscribe = state.store.onChange((change) => {
    if (isFor(change, request)) for (const line of toVisible(change, matches)) write(line);
  });
  response.on('close', () => {
    unsubscribe();
    closed.abort();
  });
  const { signal } = closed;
  const timeoutMs = Number(request.query.get('timeoutSeconds') ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
  // Both end with the watch.
  repeat(BOOKMARK_MS, state, { signal, once: sendBookmark }).catch(() => undefined);
  repeat(timeoutMs, state, { signal, once: () => void (isMuted() || response.end()) }).catch(() => undefined);
  return { response, sendBookmark };
}

/**
 * Answers a watch; null when it ended at once because its version is too old.
 *
 * @throws ApiRefusal `expired` when that is to be said by the status.
 */
export function openWatchStream(options: WatchStreamOptions): WatchStream | null {
  const { request, response, state, isMuted } = options;
  const matches = buildSelector(request.query);
  let gone: string[] = [];
  let lines: string[] = [];
  try {
    lines = buildFirstLines(request, state, matches);
  } catch (error) {
    gone = toGoneLines(error, state);
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  if (gone.length > 0) {
    response.end(gone.join(''));
    return null;
  }
  if (lines.length > 0 && !isMuted()) response.write(lines.join(''));
  return open(options, matches);
}
