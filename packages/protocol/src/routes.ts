/** Paths of the public API and of the host's API. One place, so that no side spells a path by hand. */
const encode = encodeURIComponent;

/** Paths of the server's public API. */
export const SERVER_ROUTES = {
  sandboxes: '/v1/sandboxes',
  sandbox: (id: string) => `/v1/sandboxes/${encode(id)}`,
  sandboxEvents: (id: string) => `/v1/sandboxes/${encode(id)}/events`,
  sandboxAction: (id: string, action: 'relaunch' | 'suspend' | 'resume') =>
    `/v1/sandboxes/${encode(id)}/${action}`,
  /** A call of the host's API ({@link HOST_ROUTES}) as the server forwards it. */
  host: (id: string, hostPath: string) => `/v1/sandboxes/${encode(id)}${hostPath.replace(/^\/v1/, '')}`,
  attach: (id: string, processId: string) =>
    `/v1/sandboxes/${encode(id)}/processes/${encode(processId)}/attach`,
  connectPort: (id: string, port: number) => `/v1/sandboxes/${encode(id)}/ports/${port}/connect`,
  /** Asks for an address under which a browser sees a port of the sandbox. */
  preview: (id: string) => `/v1/sandboxes/${encode(id)}/preview`,
  /** A port of the sandbox for programs that send the bearer token; whatever follows is the path at the program. */
  previewPath: (id: string, port: number) => `/preview/${encode(id)}/${port}/`,
  plan: '/v1/plan',
  preflight: '/v1/preflight',
  sweep: '/v1/sweep',
  version: '/v1/version',
  tunnel: (hostId: string) => `/v1/hosts/${encode(hostId)}/tunnel`,
  healthz: '/healthz',
  readyz: '/readyz',
  metrics: '/metrics',
  openapi: '/openapi.json',
} as const;

/** Paths of the host's API, inside the tunnel. */
export const HOST_ROUTES = {
  status: '/v1/status',
  /** Server to host only, never forwarded: hands over the next connection token. */
  connectionToken: '/v1/connection-token',
  workspace: '/v1/workspace',
  processes: '/v1/processes',
  process: (id: string) => `/v1/processes/${encode(id)}`,
  output: (id: string) => `/v1/processes/${encode(id)}/output`,
  input: (id: string) => `/v1/processes/${encode(id)}/input`,
  signal: (id: string) => `/v1/processes/${encode(id)}/signal`,
  resize: (id: string) => `/v1/processes/${encode(id)}/resize`,
  attach: (id: string) => `/v1/processes/${encode(id)}/attach`,
  files: '/v1/files',
  directories: '/v1/directories',
  archive: '/v1/archive',
  ports: '/v1/ports',
  /** Extended CONNECT only; the port is in the `:authority`. */
  tcp: '/v1/tcp',
} as const;
