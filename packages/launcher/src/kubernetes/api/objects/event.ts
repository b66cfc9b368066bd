/** An Event as diagnosis reads it (`v1/Event`; those written through events.k8s.io carry `series` instead of `count`). */
import { z } from 'zod';
import { metadataSchema, time } from './metadata.ts';

export const clusterEventSchema = z.object({
  metadata: metadataSchema,
  involvedObject: z.object({
    kind: z.string().optional(),
    name: z.string().optional(),
    uid: z.string().optional(),
    /** Such as `spec.containers{host}`. */
    fieldPath: z.string().optional(),
  }),
  /** `Normal` or `Warning`. */
  type: z.string().optional(),
  reason: z.string().nullish(),
  message: z.string().nullish(),
  count: z.int().nullish(),
  series: z.object({ count: z.int().nullish(), lastObservedTime: time }).nullish(),
  firstTimestamp: time,
  lastTimestamp: time,
  eventTime: time,
  reportingComponent: z.string().optional(),
  source: z.object({ component: z.string().optional(), host: z.string().optional() }).nullish(),
});
export type ClusterEvent = z.infer<typeof clusterEventSchema>;
