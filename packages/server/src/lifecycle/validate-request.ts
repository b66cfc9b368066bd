/** Refuses what cannot be launched, before anything is stored. */
import type { SandboxLauncher } from '@omnigent/launcher';
import { SandboxError, parseRepository } from '@omnigent/protocol';
import type { CreateSandbox } from '@omnigent/protocol';

/** @throws SandboxError `invalid_repository`, `invalid_config` or what the launcher finds. */
export function validateRequest(request: CreateSandbox, launcher: SandboxLauncher): void {
  const allowPath = launcher.capabilities.local_repositories;
  const repositories = request.repositories.map((text) => parseRepository(text, { allowPath }));
  const directories = repositories.map(({ directory }) => directory);
  const twice = directories.find((directory, index) => directories.indexOf(directory) !== index);
  if (twice !== undefined) {
    const found = `found ${JSON.stringify(twice)} twice`;
    throw new SandboxError(
      'invalid_repository',
      `repositories: expected different directory names, ${found}`,
    );
  }
  launcher.validate({
    repositories,
    env: request.env,
    ...(request.agent === undefined ? {} : { agent: request.agent }),
    ...(request.host_config === undefined ? {} : { hostConfig: request.host_config }),
  });
}
