/** Objects that only the preflight reads. */
import { z } from 'zod';
import { listOf, metadataSchema, stringMap } from './metadata.ts';

export const clusterVersionSchema = z.object({
  major: z.string(),
  minor: z.string(),
  gitVersion: z.string(),
});
export type ClusterVersion = z.infer<typeof clusterVersionSchema>;

export const namespaceSchema = z.object({
  metadata: metadataSchema,
  status: z.object({ phase: z.string().optional() }).optional(),
});
export type Namespace = z.infer<typeof namespaceSchema>;

export const serviceAccountSchema = z.object({
  metadata: metadataSchema,
  automountServiceAccountToken: z.boolean().nullish(),
});
export type ServiceAccount = z.infer<typeof serviceAccountSchema>;

export const nodeSchema = z.object({
  metadata: metadataSchema,
  status: z
    .object({
      conditions: listOf(z.object({ type: z.string(), status: z.string(), reason: z.string().optional() })),
    })
    .optional(),
});
export type ClusterNode = z.infer<typeof nodeSchema>;

const quotaStatusSchema = z.object({ hard: stringMap, used: stringMap });

export const resourceQuotaSchema = z.object({
  metadata: metadataSchema,
  status: quotaStatusSchema
    .nullish()
    .transform((status): z.infer<typeof quotaStatusSchema> => status ?? { hard: {}, used: {} }),
});
export type ResourceQuota = z.infer<typeof resourceQuotaSchema>;

export const limitRangeSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({
    limits: listOf(
      z.object({
        /** `Container`, `Pod` or `PersistentVolumeClaim`. */
        type: z.string(),
        min: stringMap,
        max: stringMap,
        default: stringMap,
        defaultRequest: stringMap,
        maxLimitRequestRatio: stringMap,
      }),
    ),
  }),
});
export type LimitRange = z.infer<typeof limitRangeSchema>;

/** A right to ask about. */
export interface AccessQuestion {
  readonly verb: string;
  /** Such as `pods` or `pods/log`. */
  readonly resource: string;
  /** API group; the core group when absent. */
  readonly group?: string;
}

export const accessReviewSchema = z.object({
  status: z.object({
    allowed: z.boolean(),
    denied: z.boolean().nullish(),
    reason: z.string().nullish(),
    evaluationError: z.string().nullish(),
  }),
});

/** Whether the caller has a right, as the cluster answers. */
export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason: string | null;
}
