/** Constants of the tunnel between host and server. */
export const TUNNEL = {
  /** Subprotocol of the WebSocket whose bytes are HTTP/2. */
  subprotocol: 'omnigent.h2.v1',
  /** Request header with the launch token or connection token. Lower case, as Node.js reports headers. */
  tokenHeader: 'x-omnigent-host-token',
  /** Request header with the id of this run of the host process (random, made at its start). */
  bootIdHeader: 'x-omnigent-host-boot-id',
  /** Request header with the host's version. */
  versionHeader: 'x-omnigent-host-version',
  pingIntervalMs: 30_000,
  missedPings: 3,
  handshakeTimeoutMs: 10_000,
} as const;

/** WebSocket close codes of the tunnel. */
export const CLOSE = {
  goingAway: 1001,
  protocolError: 1002,
  tooBig: 1009,
  serviceRestart: 1012,
  /** A newer connection of the same host took over. */
  superseded: 4001,
  /** The sandbox was terminated; the host must end. */
  terminated: 4010,
} as const;

/** HTTP/2 settings of the tunnel, set on purpose: Node's defaults are too small for many followers. */
export const TUNNEL_HTTP2 = {
  initialWindowSize: 1024 * 1024,
  connectionWindowSize: 16 * 1024 * 1024,
  maxConcurrentStreams: 1000,
  maxSessionMemoryMiB: 64,
  maxFrameSize: 64 * 1024,
  /** Value of `:protocol` in the extended CONNECT that forwards a TCP port; `:authority` is `127.0.0.1:PORT`. */
  connectProtocol: 'connect-tcp',
} as const;

/** WebSocket close codes of the public API, besides 1000 (all said), 1002, 1009 and 1012. */
export const PUBLIC_CLOSE = {
  normal: 1000,
  /** The way to the host broke; the same request may succeed soon. */
  hostOffline: 4503,
} as const;

/** WebSocket subprotocols of the public API. */
export const ATTACH_SUBPROTOCOL = 'omnigent.attach.v1';
export const FORWARD_SUBPROTOCOL = 'omnigent.forward.v1';
