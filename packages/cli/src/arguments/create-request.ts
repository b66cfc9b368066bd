/** The flags that describe a sandbox, as the request that makes one. */
import { SandboxError, createSandboxSchema } from '@omnigent/protocol';
import type { CreateSandboxInput, ProviderName } from '@omnigent/protocol';
import type { Command } from 'commander';
import { Option } from 'commander';
import { collect } from '../commands/command-context.ts';
import type { CommandContext } from '../commands/command-context.ts';
import { parseDuration, parseEnvironmentFlags, parsePairs } from './flags.ts';
import { resolveRepository } from './repository.ts';

export interface SandboxFlags {
  readonly repo: readonly string[];
  readonly name?: string;
  readonly provider?: ProviderName;
  readonly agent?: string;
  readonly env: readonly string[];
  readonly label: readonly string[];
  readonly lifetime?: string;
  readonly idleTimeout?: string;
}

const FLAG_OF_FIELD: Readonly<Record<string, string>> = {
  repositories: '--repo',
  lifetime_seconds: '--lifetime',
  idle_timeout_seconds: '--idle-timeout',
  labels: '--label',
};

/** Adds the flags. */
export function addSandboxFlags(command: Command): Command {
  return command
    .option(
      '--repo <repository>',
      'repository to clone, as https://HOST/PATH, git@HOST:PATH or a path of this machine, optionally #BRANCH; may be repeated',
      collect,
      [],
    )
    .option('--name <name>', 'name of the sandbox: 1 to 63 of a-z 0-9 -')
    .addOption(
      new Option('--provider <provider>', "where it runs (default: the server's)").choices([
        'local',
        'kubernetes',
      ]),
    )
    .option('--agent <name>', 'name of the AI agent that will run')
    .option(
      '--env <NAME=VALUE>',
      'variable for every program in the sandbox; NAME alone copies yours; not for credentials; may be repeated',
      collect,
      [],
    )
    .option('--label <KEY=VALUE>', 'label for your own bookkeeping; may be repeated', collect, [])
    .option('--lifetime <duration>', 'the sandbox is terminated after this long, such as 8h (default: 24h)')
    .option('--idle-timeout <duration>', 'the sandbox is terminated when nothing ran for this long');
}

/** @throws SandboxError `usage` or `invalid_repository` that names the flag. */
export async function buildCreateRequest(
  flags: SandboxFlags,
  context: CommandContext,
): Promise<CreateSandboxInput> {
  return {
    repositories: await Promise.all(flags.repo.map((text) => resolveRepository(text, context.cwd))),
    env: parseEnvironmentFlags(flags.env, context.environment),
    labels: parsePairs('--label', flags.label),
    ...(flags.name === undefined ? {} : { name: flags.name }),
    ...(flags.provider === undefined ? {} : { provider: flags.provider }),
    ...(flags.agent === undefined ? {} : { agent: flags.agent }),
    ...(flags.lifetime === undefined
      ? {}
      : { lifetime_seconds: parseDuration('--lifetime', flags.lifetime) }),
    ...(flags.idleTimeout === undefined
      ? {}
      : { idle_timeout_seconds: parseDuration('--idle-timeout', flags.idleTimeout) }),
  };
}

/**
 * Checks a request as the server will.
 *
 * @throws SandboxError `usage` that names the flag.
 */
export function checkCreateRequest(request: CreateSandboxInput): void {
  const result = createSandboxSchema.safeParse(request);
  if (result.success) return;
  const issue = result.error.issues[0];
  const field = String(issue?.path[0] ?? '');
  throw new SandboxError(
    'usage',
    `${FLAG_OF_FIELD[field] ?? `--${field}`}: ${issue?.message ?? 'not valid'}`,
  );
}
