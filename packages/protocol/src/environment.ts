/** Names of environment variables that are part of the contract. Nothing here reads the environment. */

/** Variables of the host process in the sandbox. */
export const HOST_ENVIRONMENT = {
  token: 'OMNIGENT_HOST_TOKEN',
  id: 'OMNIGENT_HOST_ID',
  name: 'OMNIGENT_HOST_NAME',
  isSandbox: 'IS_SANDBOX',
} as const;

/** Variables that a passthrough may never set, because the launcher sets them itself. */
export const RESERVED_ENVIRONMENT: readonly string[] = [
  'HOME',
  HOST_ENVIRONMENT.isSandbox,
  HOST_ENVIRONMENT.id,
  HOST_ENVIRONMENT.name,
  HOST_ENVIRONMENT.token,
];

/** Variables of the command. */
export const COMMAND_ENVIRONMENT = {
  server: 'OMNIGENT_SERVER',
  token: 'OMNIGENT_TOKEN',
  stateDirectory: 'OMNIGENT_STATE_DIR',
  caBundle: 'OMNIGENT_CA_BUNDLE',
} as const;

/** Variables of the server. */
export const SERVER_ENVIRONMENT = {
  databaseUrl: 'OMNIGENT_DATABASE_URL',
  config: 'OMNIGENT_CONFIG',
  url: 'OMNIGENT_SERVER_URL',
  stateDirectory: 'OMNIGENT_STATE_DIR',
  previewDomain: 'OMNIGENT_PREVIEW_DOMAIN',
} as const;

const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const CREDENTIAL_SEGMENTS = new Set(['TOKEN', 'KEY', 'SECRET', 'PASSWORD', 'CREDENTIAL', 'CREDENTIALS']);

/** Whether a string can be the name of an environment variable (POSIX portable names). */
export function isEnvironmentName(name: string): boolean {
  return ENVIRONMENT_NAME.test(name) && !name.endsWith('\n');
}

/** Whether a name looks like a credential: one of its `_`-separated segments is TOKEN, KEY, SECRET … (`MONKEY` is not). */
export function isCredentialName(name: string): boolean {
  return name.split('_').some((segment) => CREDENTIAL_SEGMENTS.has(segment.toUpperCase()));
}
