export { startServer } from './create-server.ts';
export type { RunningServer, ServerOptions } from './create-server.ts';
export type { Launchers } from './launchers/launchers.ts';
export { createLogger } from './observability/logger.ts';
export { configSchema } from './settings/config-file.ts';
export type { ServerSettings } from './settings/settings.ts';
