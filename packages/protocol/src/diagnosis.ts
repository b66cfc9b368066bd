/** Why a launch failed, or how a host ended, with its evidence. Built by providers, kept on the record, shown by the command. */
import * as z from 'zod';
import { stageRecordSchema, stageSchema } from './stage.ts';

/** A container (or local process) that matters for the diagnosis. */
export const containerEvidenceSchema = z.object({
  name: z.string(),
  /** Reason as the provider reports it, such as `OOMKilled`, `ImagePullBackOff`, `Error`. */
  reason: z.string().nullable(),
  message: z.string().nullable(),
  exit_code: z.int().nullable(),
  signal: z.int().nullable(),
  /** Memory limit as configured (`4Gi`), when the container was killed for memory. */
  memory_limit: z.string().nullable(),
});
export type ContainerEvidence = z.infer<typeof containerEvidenceSchema>;

/** Events of the same reason and message, grouped. */
export const eventEvidenceSchema = z.object({
  reason: z.string(),
  message: z.string(),
  count: z.int(),
  last_seen: z.string().nullable(),
});
export type EventEvidence = z.infer<typeof eventEvidenceSchema>;

export const logEvidenceSchema = z.object({ container: z.string(), text: z.string() });

export const diagnosisSchema = z.object({
  /** One of the error registry's codes. */
  code: z.string(),
  /** What happened, in one sentence with the facts. */
  message: z.string(),
  /** What to do next. */
  advice: z.string(),
  /** The stage in which it happened. */
  stage: stageSchema,
  /** Every stage that was entered, with its time. */
  stages: z.array(stageRecordSchema),
  /** Name of the Pod or of the local sandbox directory. */
  provider_id: z.string().nullable(),
  /** The container concerned first, then others worth a look. */
  containers: z.array(containerEvidenceSchema),
  /** Warning events of the same object. */
  events: z.array(eventEvidenceSchema),
  /** Last lines of the log of the container that failed: at most 20 lines and 1,500 characters, redacted. */
  log: logEvidenceSchema.nullable(),
  /** What could not be looked up and why ("no permission to read events"). */
  notes: z.array(z.string()),
  /** Whether the same launch may succeed under a fresh name. */
  relaunchable: z.boolean(),
});
export type Diagnosis = z.infer<typeof diagnosisSchema>;
