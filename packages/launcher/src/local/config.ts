/** The section `sandbox.local` of the configuration. */
import { SandboxError } from '@omnigent/protocol';
import * as z from 'zod';

/** Keys of the section `sandbox.local`. */
export const localConfigSchema = z.strictObject({
  /** `auto`: bubblewrap where it works, else none with a warning. */
  isolation: z.enum(['auto', 'bubblewrap', 'none']).default('auto'),
  /** Absolute paths of the machine that every sandbox may read. */
  readable_paths: z.array(z.string().startsWith('/', 'expected an absolute path')).default([]),
});
export type LocalConfig = z.infer<typeof localConfigSchema>;

/** @throws SandboxError `invalid_config` that names the key. */
export function parseLocalConfig(section: unknown): LocalConfig {
  const result = localConfigSchema.safeParse(section);
  if (result.success) return Object.freeze(result.data);
  const issue = result.error.issues[0];
  const key = issue?.code === 'unrecognized_keys' ? issue.keys.join(', ') : (issue?.path.join('.') ?? '');
  const problem = issue?.code === 'unrecognized_keys' ? 'unknown key' : (issue?.message ?? 'not valid');
  throw new SandboxError('invalid_config', `sandbox.local.${key}: ${problem}`);
}
