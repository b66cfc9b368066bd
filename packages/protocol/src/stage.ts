/** The stages of a launch, in the order in which they usually come (`cloning` is after `connecting` where the host prepares the workspace). */
import * as z from 'zod';

export const STAGES = [
  'provisioning',
  'scheduling',
  'pulling',
  'cloning',
  'starting',
  'connecting',
  'ready',
] as const;

export const stageSchema = z.enum(STAGES);
export type Stage = z.infer<typeof stageSchema>;

/** When a stage began (RFC 3339). */
export const stageRecordSchema = z.object({ stage: stageSchema, at: z.iso.datetime() });
export type StageRecord = z.infer<typeof stageRecordSchema>;
