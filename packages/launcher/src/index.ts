export * from './create-launcher.ts';
export * from './port/diagnosis.ts';
export * from './port/errors.ts';
export * from './port/launcher.ts';
