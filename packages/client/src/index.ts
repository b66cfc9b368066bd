export { Client, createClient } from './client.ts';
export type { ClientOptions, LaunchOptions, ListOptions } from './client.ts';
export type { ExecOptions } from './exec.ts';
export type { Fetch, FetchRequest, FetchResponse } from './http.ts';
export type { ExecInput } from './pump-input.ts';
export { pumpInput } from './pump-input.ts';
export { RunningProcess, toResultStatus } from './running-process.ts';
export type { ExecResult, OutputOptions } from './running-process.ts';
export { SandboxHandle } from './sandbox-handle.ts';
