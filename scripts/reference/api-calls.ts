/** The calls of the public API, as data: what each is for, and which schemas its messages have. */
import {
  attachControlSchema,
  attachEventSchema,
  attachQuerySchema,
  HOST_ROUTES,
  SERVER_ROUTES,
  createDirectorySchema,
  createPreviewSchema,
  createSandboxSchema,
  deleteFileQuerySchema,
  directoryListSchema,
  hostStatusSchema,
  inputAnswerSchema,
  inputQuerySchema,
  listSandboxesQuerySchema,
  outputQuerySchema,
  planRequestSchema,
  planSchema,
  portListSchema,
  preflightSchema,
  previewSchema,
  processListSchema,
  processSchema,
  readArchiveQuerySchema,
  readFileQuerySchema,
  sandboxEventSchema,
  sandboxListSchema,
  sandboxSchema,
  signalRequestSchema,
  startProcessSchema,
  sweepReportSchema,
  terminalSizeSchema,
  versionSchema,
  writeArchiveQuerySchema,
  writeFileQuerySchema,
} from '@omnigent/protocol';
import { named } from './api-call.ts';
import type { ApiCall } from './api-call.ts';

const sandbox = named('sandbox', sandboxSchema);
const startProcess = named('start of a process', startProcessSchema);
const processAnswer = named('process', processSchema);

const ID = '{sandbox}';
const PROCESS = '{process}';
const onHost = (path: string): string => decodeURIComponent(SERVER_ROUTES.host(ID, path));
const path = (encoded: string): string => decodeURIComponent(encoded);

/** Calls about sandboxes. `{sandbox}` is an id or a live name. */
export const SANDBOX_CALLS: readonly ApiCall[] = [
  {
    method: 'POST',
    path: SERVER_ROUTES.sandboxes,
    meaning:
      'Launches a sandbox: 202 as soon as it is stored; its events tell the rest. With `Idempotency-Key` a repeat launches no second one.',
    body: named('launch', createSandboxSchema),
    answer: sandbox,
  },
  {
    method: 'GET',
    path: SERVER_ROUTES.sandboxes,
    meaning: 'Lists your sandboxes in pages.',
    query: named('list', listSandboxesQuerySchema),
    answer: named('page of sandboxes', sandboxListSchema),
  },
  { method: 'GET', path: path(SERVER_ROUTES.sandbox(ID)), meaning: 'One sandbox.', answer: sandbox },
  {
    method: 'DELETE',
    path: path(SERVER_ROUTES.sandbox(ID)),
    meaning:
      'Terminates it. 204: gone, 202: still going; `?wait=SECONDS` holds the answer back until it is gone, 300 at most.',
  },
  {
    method: 'GET',
    path: path(SERVER_ROUTES.sandboxEvents(ID)),
    meaning: 'Server-sent events from the first one, or after `Last-Event-ID`; ends after `deleted`.',
    answer: named('event', sandboxEventSchema),
  },
  {
    method: 'POST',
    path: path(SERVER_ROUTES.preview(ID)),
    meaning:
      'An address for the owner’s browser that shows the web server on a port of the sandbox. Its ticket works once; the browser gets a cookie of that origin for it.',
    body: named('preview to open', createPreviewSchema),
    answer: named('preview', previewSchema),
  },
  {
    method: 'any',
    path: `${decodeURIComponent(SERVER_ROUTES.previewPath(ID, 0)).replace('/0/', '/{port}/')}…`,
    meaning:
      'The same web server for programs that send the bearer token. What follows the port is the path there, byte for byte.',
  },
  ...(['relaunch', 'suspend', 'resume'] as const).map((action) => ({
    method: 'POST',
    path: path(SERVER_ROUTES.sandboxAction(ID, action)),
    meaning: `Asks for a ${action}; 501 where the provider cannot.`,
    answer: sandbox,
  })),
];

/** Calls that go through to the host of a sandbox. */
export const HOST_CALLS: readonly ApiCall[] = [
  {
    method: 'GET',
    path: onHost(HOST_ROUTES.status),
    meaning: 'What the host says of itself.',
    answer: named('host status', hostStatusSchema),
  },
  {
    method: 'GET',
    path: onHost(HOST_ROUTES.processes),
    meaning: 'All processes that the host knows.',
    answer: named('processes', processListSchema),
  },
  {
    method: 'PUT',
    path: onHost(HOST_ROUTES.process(PROCESS)),
    meaning:
      'Starts a program under an id of your choice: 201; the same request again: 200; another one under that id: 409. With `?follow=1` the answer is the output instead, until the end.',
    body: startProcess,
    answer: processAnswer,
  },
  {
    method: 'GET',
    path: onHost(HOST_ROUTES.process(PROCESS)),
    meaning: 'One process.',
    answer: processAnswer,
  },
  {
    method: 'DELETE',
    path: onHost(HOST_ROUTES.process(PROCESS)),
    meaning: 'Ends the process with all that it started and forgets its output.',
  },
  {
    method: 'GET',
    path: onHost(HOST_ROUTES.output(PROCESS)),
    meaning:
      'The process log from a byte offset, `application/vnd.omnigent.process-log`. With `follow=1` it goes on until the exit record, which is last; an answer that ends without one was interrupted.',
    query: named('output query', outputQuerySchema),
  },
  {
    method: 'PUT',
    path: onHost(HOST_ROUTES.input(PROCESS)),
    meaning:
      'Bytes for standard input. What was received before is skipped, so a repeat is harmless; a gap is 409.',
    query: named('input query', inputQuerySchema),
    answer: named('input', inputAnswerSchema),
  },
  {
    method: 'POST',
    path: onHost(HOST_ROUTES.signal(PROCESS)),
    meaning: 'A signal for the process and everything that it started.',
    body: named('signal', signalRequestSchema),
  },
  {
    method: 'POST',
    path: onHost(HOST_ROUTES.resize(PROCESS)),
    meaning: 'Another size for its terminal.',
    body: named('terminal size', terminalSizeSchema),
  },
  {
    method: 'GET',
    path: path(SERVER_ROUTES.attach(ID, PROCESS)),
    meaning:
      'WebSocket `omnigent.attach.v1`: output with its offsets one way; input, signals and sizes the other. Binary frames are a kind (1 output, 2 input, 3 screen), an offset of 8 bytes, and bytes; text frames are JSON. Where no header can be set, the token comes as one more subprotocol: `omnigent.bearer.` and the token in base64url.',
    query: named('attach query', attachQuerySchema),
    body: named('attach control', attachControlSchema),
    answer: named('attach event', attachEventSchema),
  },
  {
    method: 'GET',
    path: onHost(HOST_ROUTES.files),
    meaning: 'A file (with `Range`), or what it is (`stat=1`), or what a directory holds (`list=1`).',
    query: named('file to read', readFileQuerySchema),
    answer: named('directory', directoryListSchema),
  },
  {
    method: 'PUT',
    path: onHost(HOST_ROUTES.files),
    meaning: 'Writes a file, whole or not at all.',
    query: named('file to write', writeFileQuerySchema),
  },
  {
    method: 'DELETE',
    path: onHost(HOST_ROUTES.files),
    meaning: 'Removes a file or directory.',
    query: named('file to remove', deleteFileQuerySchema),
  },
  {
    method: 'POST',
    path: onHost(HOST_ROUTES.directories),
    meaning: 'Makes a directory.',
    body: named('new directory', createDirectorySchema),
  },
  {
    method: 'GET',
    path: onHost(HOST_ROUTES.archive),
    meaning: 'A directory, file or link as a tar stream.',
    query: named('archive to read', readArchiveQuerySchema),
  },
  {
    method: 'PUT',
    path: onHost(HOST_ROUTES.archive),
    meaning: 'Unpacks a tar stream into a directory.',
    query: named('archive to write', writeArchiveQuerySchema),
  },
  {
    method: 'GET',
    path: onHost(HOST_ROUTES.ports),
    meaning: 'What listens in the sandbox.',
    answer: named('ports', portListSchema),
  },
  {
    method: 'GET',
    path: decodeURIComponent(SERVER_ROUTES.connectPort(ID, 0)).replace('/0/', '/{port}/'),
    meaning:
      'WebSocket `omnigent.forward.v1`: the bytes of a TCP connection to that port, both ways, as binary messages. `{"type":"eof"}` ends one way, `{"type":"ack","bytes":N}` makes room for more than 1 MiB, `{"type":"ping"}` is answered by `pong`; closed with 1000 at its end, with 4000 when it was reset.',
  },
];

/** Calls about the server. */
export const SERVICE_CALLS: readonly ApiCall[] = [
  {
    method: 'POST',
    path: SERVER_ROUTES.plan,
    meaning: 'The exact objects of a launch, nothing created. `?dry_run=server` has the cluster admit them.',
    body: named('launch', planRequestSchema),
    answer: named('plan', planSchema),
  },
  {
    method: 'POST',
    path: SERVER_ROUTES.preflight,
    meaning: 'Checks of configuration, rights and reachability. `?deep=1` starts a short-lived probe.',
    answer: named('findings', preflightSchema),
  },
  {
    method: 'POST',
    path: SERVER_ROUTES.sweep,
    meaning: 'Deletes what no record owns. `?dry_run=1` only says what.',
    answer: named('sweep', sweepReportSchema),
  },
  {
    method: 'GET',
    path: SERVER_ROUTES.version,
    meaning: 'Version, installation and providers.',
    answer: named('version', versionSchema),
  },
  { method: 'GET', path: SERVER_ROUTES.healthz, meaning: 'Whether the process lives; needs no token.' },
  { method: 'GET', path: SERVER_ROUTES.readyz, meaning: 'Whether it can serve: 200 or 503; needs no token.' },
  { method: 'GET', path: SERVER_ROUTES.metrics, meaning: 'Metrics in the text format of Prometheus.' },
  { method: 'GET', path: SERVER_ROUTES.openapi, meaning: 'This page for programs: OpenAPI 3.' },
  {
    method: 'GET',
    path: decodeURIComponent(SERVER_ROUTES.tunnel('{host}')),
    meaning: 'For hosts: the WebSocket of the tunnel, `omnigent.h2.v1`.',
  },
];
