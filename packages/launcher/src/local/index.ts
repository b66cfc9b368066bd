export { parseLocalConfig } from './config.ts';
export type { LocalConfig } from './config.ts';
export { createLocalLauncher } from './local-launcher.ts';
export type { LocalLauncherOptions } from './local-launcher.ts';
