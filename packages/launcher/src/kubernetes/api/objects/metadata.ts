/** Parts that every Kubernetes object has. Read leniently: the API server leaves out, or sends as null, what is empty. */
import { z } from 'zod';

/** An array that may be absent or null. */
export function listOf<T extends z.ZodType>(item: T) {
  return z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
}

/** A string map that may be absent or null. */
export const stringMap = z
  .record(z.string(), z.string())
  .nullish()
  .transform((map): Record<string, string> => map ?? {});

/** RFC 3339 time as the API server writes it; null and absent mean "not set". */
export const time = z.string().nullish();

export const ownerReferenceSchema = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  name: z.string(),
  uid: z.string(),
});
export type OwnerReference = z.infer<typeof ownerReferenceSchema>;

export const metadataSchema = z.object({
  name: z.string(),
  namespace: z.string().optional(),
  uid: z.string().default(''),
  resourceVersion: z.string().default(''),
  creationTimestamp: time,
  deletionTimestamp: time,
  deletionGracePeriodSeconds: z.number().nullish(),
  labels: stringMap,
  annotations: stringMap,
  ownerReferences: listOf(ownerReferenceSchema),
});
export type Metadata = z.infer<typeof metadataSchema>;

/** Any object of which only the metadata matters. */
export const objectSchema = z.object({ metadata: metadataSchema });
export type KubernetesObject = z.infer<typeof objectSchema>;

/** `metadata` of a list or of a page of one. */
export const listMetadataSchema = z
  .object({
    resourceVersion: z.string().default(''),
    /** Token of the next page; empty when this is the last. */
    continue: z.string().default(''),
  })
  .default({ resourceVersion: '', continue: '' });
