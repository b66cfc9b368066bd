/** Pods and their events as a real cluster reported them, named after the situation. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { clusterEventSchema } from '../../api/objects/event.ts';
import type { ClusterEvent } from '../../api/objects/event.ts';
import { podSchema } from '../../api/objects/pod.ts';
import type { Pod } from '../../api/objects/pod.ts';

export interface Situation {
  readonly pod: Pod;
  readonly events: readonly ClusterEvent[];
}

const situationSchema = z.object({ pod: podSchema, events: z.array(clusterEventSchema) });

/** Reads `fixtures/NAME.json`. */
export function readSituation(name: string): Situation {
  const url = new URL(`fixtures/${name}.json`, import.meta.url);
  return situationSchema.parse(JSON.parse(readFileSync(url, 'utf8')));
}
