/** What is started for a launch: command line and environment; pure. */
import type { LaunchRequest } from '../../port/launcher.ts';
import { buildBubblewrapCommand } from '../isolation/bubblewrap.ts';
import type { SandboxPaths } from '../records/paths.ts';
import { buildHostCommand, buildHostEnvironment, toHostPlace } from './host-command.ts';
import type { StartContext } from './start-context.ts';

/** Command line, which holds no secret, and environment of the host, which holds the launch token. */
export interface HostStart {
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Builds both. */
export function buildHostStart(
  context: Omit<StartContext, 'clock' | 'instance'>,
  { paths, request }: { readonly paths: SandboxPaths; readonly request: LaunchRequest },
): HostStart {
  const { config, hostBundle, isolation, machinePath, nodePath } = context;
  const place = toHostPlace(isolation, { nodePath, hostBundle, home: paths.home, machinePath });
  const command = buildHostCommand(place, request.serverUrl);
  const environment = buildHostEnvironment(place, request, config.passthrough);
  if (isolation.kind === 'none') return { argv: command, environment };
  const argv = buildBubblewrapCommand({
    ...isolation,
    sandbox: paths,
    readablePaths: config.readablePaths,
    command,
  });
  return { argv, environment };
}
