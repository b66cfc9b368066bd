/** One line of a watch. */
import { z } from 'zod';
import { podSchema } from '../objects/pod.ts';
import type { Pod } from '../objects/pod.ts';

const bookmarkSchema = z.object({ metadata: z.object({ resourceVersion: z.string() }) });

const lineSchema = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['ADDED', 'MODIFIED', 'DELETED']), object: podSchema }),
  z.object({ type: z.literal('BOOKMARK'), object: bookmarkSchema }),
  z.object({ type: z.literal('ERROR'), object: z.object({ code: z.int().default(500) }).loose() }),
]);

export type WatchEvent =
  | { readonly type: 'present' | 'deleted'; readonly pod: Pod; readonly resourceVersion: string }
  | { readonly type: 'bookmark'; readonly resourceVersion: string }
  /** The Status that ends the stream, as text. */
  | { readonly type: 'error'; readonly status: number; readonly body: string };

/** Throws what zod or JSON say when the line is no event. */
export function parseWatchEvent(line: string): WatchEvent {
  const event = lineSchema.parse(JSON.parse(line));
  switch (event.type) {
    case 'ERROR':
      return { type: 'error', status: event.object.code, body: JSON.stringify(event.object) };
    case 'BOOKMARK':
      return { type: 'bookmark', resourceVersion: event.object.metadata.resourceVersion };
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      const { object: pod } = event;
      const type = event.type === 'DELETED' ? 'deleted' : 'present';
      return { type, pod, resourceVersion: pod.metadata.resourceVersion };
    }
  }
}
