/** Open watches, and what a test can do to them. */
import type { ServerResponse } from 'node:http';
import type { ApiRequest } from './api-request.ts';
import type { FakeState } from './fake-state.ts';
import { toStatusObject } from './status.ts';
import type { ApiStatus } from './status.ts';
import { openWatchStream, toLine } from './watch-stream.ts';
import type { WatchStream } from './watch-stream.ts';

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

/** None open yet. */
export function createWatches(state: FakeState): Watches {
  const streams = new Set<WatchStream>();
  let isMuted = false;
  return {
    get size() {
      return streams.size;
    },
    open(request, response) {
      const stream = openWatchStream({ request, response, state, isMuted: () => isMuted });
      if (stream === null) return;
      streams.add(stream);
      response.on('close', () => streams.delete(stream));
    },
    end() {
      for (const { response } of streams) response.end();
    },
    reset() {
      for (const { response } of streams) response.socket?.resetAndDestroy();
    },
    mute(value) {
      isMuted = value;
    },
    sendBookmark() {
      for (const stream of streams) stream.sendBookmark();
    },
    sendError(status) {
      for (const { response } of streams) response.end(toLine('ERROR', toStatusObject(status)));
    },
    sendText(text) {
      for (const { response } of streams) response.write(text);
    },
  };
}
