export * from './cluster-client.ts';
export * from './cluster-error.ts';
export * from './fault/cluster-fault.ts';
export * from './objects/event.ts';
export * from './objects/metadata.ts';
export * from './objects/pod.ts';
export * from './objects/preflight.ts';
export * from './pod-watch.ts';
