/** What a launch would start, as an object to look at; pure. */
import { HOST_ENVIRONMENT } from '@omnigent/protocol';
import type { Plan } from '@omnigent/protocol';
import type { LaunchRequest } from '../port/launcher.ts';
import type { SandboxPaths } from './records/paths.ts';
import { buildHostStart } from './start/build-host-start.ts';
import type { StartContext } from './start/start-context.ts';
import { isLocalRepository } from './start/workspace.ts';

/** The plan of a launch; the launch token is redacted. */
export function buildPlan(
  context: StartContext,
  { paths, request }: { readonly paths: SandboxPaths; readonly request: LaunchRequest },
): Plan {
  const { isolation, instance } = context;
  const { argv, environment } = buildHostStart(context, { paths, request });
  const warning = isolation.kind === 'none' ? isolation.warning : null;
  const manifest = {
    kind: 'LocalSandbox',
    instance,
    host_id: request.hostId,
    directory: paths.root,
    isolation: isolation.kind,
    clones: request.repositories.filter(isLocalRepository).map(({ url, branch, directory }) => ({
      url,
      branch: branch ?? null,
      directory,
    })),
    argv: [...argv],
    env: { ...environment, [HOST_ENVIRONMENT.token]: '***' },
  };
  return { manifests: [manifest], ...(warning === null ? {} : { warnings: [warning] }) };
}
