export { AttachSession } from './attach-session.ts';
export type { AttachOptions, AttachUpdate } from './attach-session.ts';
export { Client, createClient } from './client.ts';
export type { ClientOptions, LaunchOptions, ListOptions } from './client.ts';
export type { ExecOptions } from './exec.ts';
export type { FileDownload } from './file-download.ts';
export type { UploadSource } from './file-upload.ts';
export type { Fetch, FetchRequest, FetchResponse } from './http.ts';
export type { ExecInput } from './pump-input.ts';
export { pumpInput } from './pump-input.ts';
export { PortConnection } from './port-connection.ts';
export { RunningProcess, toResultStatus } from './running-process.ts';
export type { ExecResult, OutputOptions } from './running-process.ts';
export { SandboxFiles } from './sandbox-files.ts';
export type {
  FileCallOptions,
  ReadFileOptions,
  UploadOptions,
  WriteFileOptions,
} from './sandbox-files.ts';
export type { Preview } from './sandbox-handle.ts';
export { SandboxHandle } from './sandbox-handle.ts';
export { platformWebSocket } from './web-socket.ts';
export type { WebSocketEvent, WebSocketFactory, WebSocketLike } from './web-socket.ts';
