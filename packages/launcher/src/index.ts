export * from './create-launcher.ts';
export type * from './kubernetes/api/index.ts';
export * from './open-cluster-client.ts';
export * from './port/diagnosis.ts';
export * from './port/errors.ts';
export * from './port/launcher.ts';
