export { parseLocalConfig } from './config.ts';
export { createLocalLauncher } from './local-launcher.ts';
