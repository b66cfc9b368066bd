/** Names of server variables that are copied into the Pod as literals. */
import { RESERVED_ENVIRONMENT, isCredentialName, isEnvironmentName } from '@omnigent/protocol';

type Environment = Readonly<Record<string, string | undefined>>;

/** What is wrong with passing a variable on; undefined when it is fine. */
export function findPassthroughFault(name: string, environment: Environment): string | undefined {
  const shown = JSON.stringify(name);
  if (!isEnvironmentName(name)) return `${shown} is not a valid environment variable name`;
  if (RESERVED_ENVIRONMENT.includes(name)) return `${name} is reserved: the launcher sets it itself`;
  if (isCredentialName(name))
    return `${name} looks like a credential: put it into the Secret named by secret_name`;
  if (environment[name] === undefined) return `${name} is not set in the server's environment`;
  return undefined;
}
