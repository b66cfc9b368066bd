/** A Pod as it is read: the fields that launching and diagnosing look at, every status array present (it may be empty). */
import { z } from 'zod';
import { listOf, metadataSchema, stringMap, time } from './metadata.ts';

const quantities = z
  .record(z.string(), z.union([z.string(), z.number().transform(String)]))
  .nullish()
  .transform((map): Record<string, string> => map ?? {});

const resourcesSchema = z.object({ limits: quantities, requests: quantities });

export const containerSchema = z.object({
  name: z.string(),
  image: z.string().optional(),
  /** `Always` on an init container makes it a sidecar. */
  restartPolicy: z.string().optional(),
  resources: resourcesSchema
    .nullish()
    .transform((resources): z.infer<typeof resourcesSchema> => resources ?? { limits: {}, requests: {} }),
});
export type Container = z.infer<typeof containerSchema>;

export const terminatedSchema = z.object({
  exitCode: z.int(),
  signal: z.int().nullish(),
  reason: z.string().optional(),
  message: z.string().optional(),
  startedAt: time,
  finishedAt: time,
  containerID: z.string().optional(),
});
export type TerminatedState = z.infer<typeof terminatedSchema>;

export const containerStateSchema = z.object({
  waiting: z.object({ reason: z.string().optional(), message: z.string().optional() }).nullish(),
  running: z.object({ startedAt: time }).nullish(),
  terminated: terminatedSchema.nullish(),
});
export type ContainerState = z.infer<typeof containerStateSchema>;

const toState = (state: ContainerState | null | undefined): ContainerState => state ?? {};

export const containerStatusSchema = z.object({
  name: z.string(),
  state: containerStateSchema.nullish().transform(toState),
  lastState: containerStateSchema.nullish().transform(toState),
  ready: z.boolean().default(false),
  started: z.boolean().nullish(),
  restartCount: z.int().default(0),
  image: z.string().optional(),
  imageID: z.string().optional(),
  containerID: z.string().optional(),
});
export type ContainerStatus = z.infer<typeof containerStatusSchema>;

export const podConditionSchema = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
  lastTransitionTime: time,
});
export type PodCondition = z.infer<typeof podConditionSchema>;

export const podSpecSchema = z.object({
  nodeName: z.string().optional(),
  serviceAccountName: z.string().optional(),
  activeDeadlineSeconds: z.number().nullish(),
  nodeSelector: stringMap,
  initContainers: listOf(containerSchema),
  containers: listOf(containerSchema),
});

export const podStatusSchema = z.object({
  phase: z.string().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
  startTime: time,
  podIP: z.string().optional(),
  conditions: listOf(podConditionSchema),
  initContainerStatuses: listOf(containerStatusSchema),
  containerStatuses: listOf(containerStatusSchema),
});

const emptySpec = { nodeSelector: {}, initContainers: [], containers: [] };
const emptyStatus = { conditions: [], initContainerStatuses: [], containerStatuses: [] };

export const podSchema = z.object({
  metadata: metadataSchema,
  spec: podSpecSchema.nullish().transform((spec): z.infer<typeof podSpecSchema> => spec ?? emptySpec),
  status: podStatusSchema
    .nullish()
    .transform((status): z.infer<typeof podStatusSchema> => status ?? emptyStatus),
});
/** A Pod; make one for a test with `podSchema.parse(json)`. */
export type Pod = z.infer<typeof podSchema>;
