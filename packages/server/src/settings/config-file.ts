/** The configuration file (YAML): sections `server` and `sandbox`. Unknown keys are errors that name the key. */
import { readFile } from 'node:fs/promises';
import { SandboxError, providerSchema, toErrorMessage } from '@omnigent/protocol';
import * as z from 'zod';

const MAX_LIFETIME_SECONDS = 30 * 24 * 3600;

export const serverSectionSchema = z.strictObject({
  /** `ADDRESS:PORT` to listen on. */
  listen: z.string().optional(),
  /** URL that sandboxes dial. */
  url: z.url({ protocol: /^https?$/ }).optional(),
  /** File with the bearer token of the API; needed to listen on anything but loopback. */
  token_file: z.string().min(1).optional(),
  database_url: z.string().min(1).optional(),
  /** Domain of previews: `[http://]DOMAIN[:PORT]`; each preview is a name below it. */
  preview_domain: z.string().optional(),
  /** Id of this installation: label `omnigent.ai/instance`. */
  instance: z.string().optional(),
});

export const sandboxSectionSchema = z.strictObject({
  provider: providerSchema.optional(),
  lifetime_seconds: z.int().min(60).max(MAX_LIFETIME_SECONDS).optional(),
  idle_timeout_seconds: z.int().min(30).max(MAX_LIFETIME_SECONDS).optional(),
  /** Budget for a host that runs to connect. */
  online_timeout_seconds: z.number().positive().max(86_400).optional(),
  /** Checked by the providers themselves. */
  kubernetes: z.record(z.string(), z.unknown()).optional(),
  local: z.record(z.string(), z.unknown()).optional(),
});

export const configSchema = z.strictObject({
  server: serverSectionSchema.default({}),
  sandbox: sandboxSectionSchema.default({}),
});
export type Config = z.infer<typeof configSchema>;

/** Reads a configuration file; an absent path is an empty configuration. @throws SandboxError `invalid_config`. */
export async function loadConfig(path: string | undefined): Promise<Config> {
  if (path === undefined) return configSchema.parse({});
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new SandboxError('invalid_config', `configuration file ${path}: ${toErrorMessage(cause)}`, {
      cause,
    });
  });
  const { parseYaml } = await import('./parse-yaml.ts');
  return parseConfig(readYaml(parseYaml, { text, path }), path);
}

function readYaml(
  parse: (text: string) => unknown,
  { text, path }: { readonly text: string; readonly path: string },
): unknown {
  try {
    return parse(text) ?? {};
  } catch (cause) {
    throw new SandboxError(
      'invalid_config',
      `configuration file ${path}: not valid YAML: ${toErrorMessage(cause)}`,
      { cause },
    );
  }
}

/** Checks the shape of a configuration; `source` is named in errors. */
export function parseConfig(value: unknown, source: string): Config {
  const result = configSchema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = issue?.path.join('.') ?? '';
  if (issue?.code === 'unrecognized_keys') {
    const keys = issue.keys.map((key) => (path === '' ? key : `${path}.${key}`)).join(', ');
    throw new SandboxError('invalid_config', `${source}: unknown key ${keys}`);
  }
  throw new SandboxError(
    'invalid_config',
    `${source}: ${path === '' ? 'the document' : path}: ${issue?.message ?? 'not valid'}`,
  );
}
