export * from './create-launcher.ts';
export type * from './kubernetes/api/index.ts';
export { SETTINGS as KUBERNETES_SETTINGS } from './kubernetes/config/settings-table.ts';
export { localConfigSchema } from './local/config.ts';
export * from './open-cluster-client.ts';
export * from './port/diagnosis.ts';
export * from './port/errors.ts';
export * from './port/launcher.ts';
