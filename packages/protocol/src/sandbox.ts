/** The sandbox resource of the public API, the request that makes one, and its events. */
import * as z from 'zod';
import { conditionSchema } from './condition.ts';
import { diagnosisSchema } from './diagnosis.ts';
import { hostIdSchema, sandboxIdSchema } from './ids.ts';
import { RESERVED_ENVIRONMENT } from './environment.ts';
import { environmentValuesSchema } from './process.ts';
import { stageRecordSchema, stageSchema } from './stage.ts';

export const PROVIDERS = ['local', 'kubernetes'] as const;
export const providerSchema = z.enum(PROVIDERS);
export type ProviderName = z.infer<typeof providerSchema>;

/** Sandboxes have an optional name, unique per owner while they live: an RFC 1123 label of at most 63 characters. */
export const sandboxNameSchema = z
  .string()
  .regex(
    /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
    'expected 1 to 63 of a-z 0-9 - that start and end with a letter or digit',
  );

const labelKey = z.string().min(1).max(63);
const labelValue = z.string().max(256);
const MAX_LIFETIME_SECONDS = 30 * 24 * 3600;

/** Body of `POST /v1/sandboxes`. Only what is given is decided; the server fills in the rest. */
export const createSandboxSchema = z.strictObject({
  name: sandboxNameSchema.optional(),
  /** Default: the server's. */
  provider: providerSchema.optional(),
  /** Up to ten of the repository grammar (`https://HOST/PATH#BRANCH`). */
  repositories: z.array(z.string().max(4096)).max(10).default([]),
  /** Name of the AI agent that will run; becomes the label `omnigent.ai/agent` where it is a valid label value. */
  agent: z.string().min(1).max(256).optional(),
  /** Environment of every process in the sandbox; not for credentials. */
  env: environmentValuesSchema
    .refine(
      (values) => !RESERVED_ENVIRONMENT.some((name) => Object.hasOwn(values, name)),
      `must not set ${RESERVED_ENVIRONMENT.join(', ')}: the launcher sets them itself`,
    )
    .default({}),
  /** Merged into the host's `~/.omnigent/config.yaml` before it starts. */
  host_config: z.record(z.string(), z.unknown()).optional(),
  /** For your own bookkeeping and for filters; at most 32. */
  labels: z
    .record(labelKey, labelValue)
    .default({})
    .refine((labels) => Object.keys(labels).length <= 32, 'at most 32 labels'),
  /** The sandbox is terminated this long after its launch. Default: the server's (24 h). */
  lifetime_seconds: z.int().min(60).max(MAX_LIFETIME_SECONDS).optional(),
  /** The sandbox is terminated when no process ran and no call came for this long. Default: never. */
  idle_timeout_seconds: z.int().min(30).max(MAX_LIFETIME_SECONDS).optional(),
});
export type CreateSandbox = z.infer<typeof createSandboxSchema>;
export type CreateSandboxInput = z.input<typeof createSandboxSchema>;

export const hostInfoSchema = z.object({
  connected: z.boolean(),
  version: z.string().nullable(),
  /** Id of this run of the host process; another one means that the host's processes are gone. */
  boot_id: z.string().nullable(),
  capabilities: z.array(z.string()),
});

export const sandboxSchema = z.object({
  id: sandboxIdSchema,
  name: sandboxNameSchema.nullable(),
  owner: z.string(),
  provider: providerSchema,
  /** What is wanted. */
  operating_mode: z.enum(['Running', 'Suspended']),
  /** What is. */
  conditions: z.array(conditionSchema),
  host_id: hostIdSchema,
  host_name: z.string(),
  /** The provider's own name for it (Pod name, directory), once known. */
  provider_id: z.string().nullable(),
  /** Absolute path of the workspace inside the sandbox, once known. */
  workspace: z.string().nullable(),
  repositories: z.array(z.string()),
  agent: z.string().nullable(),
  labels: z.record(z.string(), z.string()),
  stage: stageSchema.nullable(),
  stages: z.array(stageRecordSchema),
  diagnosis: diagnosisSchema.nullable(),
  host: hostInfoSchema,
  lifetime_seconds: z.int(),
  idle_timeout_seconds: z.int().nullable(),
  expires_at: z.iso.datetime(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  /** Deletion was asked for; the record goes once the provider confirmed. */
  deleting: z.boolean(),
});
export type Sandbox = z.infer<typeof sandboxSchema>;

export const sandboxListSchema = z.object({
  items: z.array(sandboxSchema),
  /** Give it as `cursor` to go on; null on the last page. */
  next_cursor: z.string().nullable(),
});
export type SandboxList = z.infer<typeof sandboxListSchema>;

/** Query of `GET /v1/sandboxes`. `label` may be repeated: `KEY=VALUE`. */
export const listSandboxesQuerySchema = z.strictObject({
  cursor: z.string().max(512).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  name: z.string().max(63).optional(),
  provider: providerSchema.optional(),
  label: z.union([z.string(), z.array(z.string())]).optional(),
});

/**
 * Server-sent events of `GET /v1/sandboxes/{id}/events`; the SSE `id:` is the number that `Last-Event-ID` resumes after,
 * the SSE `event:` is `type`. The stream ends after `deleted`.
 */
export const sandboxEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('stage'),
    at: z.iso.datetime(),
    stage: stageSchema,
    message: z.string().optional(),
    /** With the stage `ready`, as in {@link sandboxSchema}: what its launch has found out. */
    workspace: z.string().nullable().optional(),
    provider_id: z.string().nullable().optional(),
  }),
  z.object({ type: z.literal('condition'), at: z.iso.datetime(), condition: conditionSchema }),
  z.object({ type: z.literal('progress'), at: z.iso.datetime(), stage: stageSchema, message: z.string() }),
  z.object({ type: z.literal('failed'), at: z.iso.datetime(), diagnosis: diagnosisSchema }),
  z.object({ type: z.literal('deleted'), at: z.iso.datetime() }),
]);
export type SandboxEvent = z.infer<typeof sandboxEventSchema>;

/** Body of `POST /v1/plan`: the same as a launch. */
export const planRequestSchema = createSandboxSchema;

/** Answer of `POST /v1/plan`: the exact objects, secrets redacted. */
export const planSchema = z.object({
  manifests: z.array(z.record(z.string(), z.unknown())),
  warnings: z.array(z.string()).optional(),
  /** With `?dry_run=server`: JSON-pointer-like paths that admission changed. */
  changes: z.array(z.object({ path: z.string(), sent: z.unknown(), admitted: z.unknown() })).optional(),
});
export type Plan = z.infer<typeof planSchema>;

export const findingSchema = z.object({
  code: z.string(),
  severity: z.enum(['ok', 'warning', 'error', 'unknown']),
  message: z.string(),
  advice: z.string().nullable(),
});
export type Finding = z.infer<typeof findingSchema>;
export const preflightSchema = z.object({ findings: z.array(findingSchema) });

export const versionSchema = z.object({
  version: z.string(),
  instance: z.string(),
  providers: z.array(z.string()),
});
export type ServerVersion = z.infer<typeof versionSchema>;

export const sweepReportSchema = z.object({
  dry_run: z.boolean(),
  deleted: z.array(z.string()),
  failed: z.array(z.object({ id: z.string(), message: z.string() })),
});
export type SweepReport = z.infer<typeof sweepReportSchema>;
