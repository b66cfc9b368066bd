export { runHost } from './host.ts';
export { parseHostArguments, resolveSettings } from './settings.ts';
export type { HostSettings } from './settings.ts';
