/** Keeps the host connected: dials, serves the connection until it ends, dials again. */
import type { Http2Server, ServerHttp2Session } from 'node:http2';
import { CLOSE, SandboxError, TUNNEL } from '@omnigent/protocol';
import type { Clock } from '@omnigent/protocol';
import type { WebSocket } from 'ws';
import { countConnection, toDelayMs } from './backoff.ts';
import type { Attempts } from './backoff.ts';
import { dial } from './dial.ts';
import type { Connection, DialOptions } from './dial.ts';
import { keepAlive } from './liveness.ts';
import { isFinal } from './refusal.ts';
import type { DialFailure } from './refusal.ts';

export interface TunnelOptions extends Omit<DialOptions, 'token' | 'signal'> {
  /** The present token: the launch token at first, then what the server handed over. */
  readonly token: () => string;
  /** The HTTP/2 server that takes the connections. */
  readonly server: () => Http2Server;
  readonly clock: Clock;
  readonly random: () => number;
  readonly report: (message: string) => void;
  /** Aborting says goodbye: no dial begins or goes on, the server is told to ask for nothing more; what it has asked for goes on. */
  readonly leaving: AbortSignal;
  /** Aborting ends the tunnel. */
  readonly signal: AbortSignal;
  /** The host gives up when no server answered for this long; for ever when absent. */
  readonly exitWhenUnreachableMs?: number;
}

/** How long the server has to answer the close of a host that was told to stop. */
const CLOSE_TIMEOUT_MS = 1_000;

/** How a connection ended. */
interface Ending {
  readonly wasHealthy: boolean;
  readonly code: number;
}

/**
 * Runs until the signal aborts, or the connection ends while the host is leaving.
 *
 * @throws SandboxError `permission_denied` when the server refuses for good, `sandbox_terminated` when the sandbox was
 * terminated, `server_certificate` when the certificate does not verify, `server_unreachable` when no server answered for too long.
 */
export async function runTunnel(options: TunnelOptions): Promise<void> {
  const { clock, leaving, random, report } = options;
  const signal = AbortSignal.any([leaving, options.signal]);
  let attempts: Attempts = { failures: 0, shortInRow: 0 };
  let hasConnectedBefore = false;
  let refusedSince: number | undefined;
  let lastContact = clock.monotonicMs();
  while (!signal.aborted) {
    await clock.sleep(toDelayMs(attempts.failures, random()), { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const result = await dial({ ...options, token: options.token(), signal });
    if ('connection' in result) {
      const since = clock.monotonicMs();
      const ending = await serve(result.connection, options);
      if (ending.code === CLOSE.terminated)
        throw new SandboxError('sandbox_terminated', 'the sandbox was terminated');
      report(`connection ended with code ${ending.code}`);
      const { wasHealthy, code } = ending;
      attempts = countConnection(attempts, {
        wasHealthy,
        durationMs: clock.monotonicMs() - since,
        wasSentAway: code === CLOSE.serviceRestart || code === CLOSE.superseded,
      });
      if (wasHealthy) {
        hasConnectedBefore = true;
        refusedSince = undefined;
        lastContact = clock.monotonicMs();
      }
    } else if (!signal.aborted) {
      const { failure } = result;
      attempts = { ...attempts, failures: attempts.failures + 1 };
      if (failure.kind !== 'transient') refusedSince ??= clock.monotonicMs();
      const refusedForMs = refusedSince === undefined ? 0 : clock.monotonicMs() - refusedSince;
      report(`cannot connect: ${failure.message}`);
      if (isFinal(failure, { hasConnectedBefore, refusedForMs })) throw toFinalError(failure);
    }
    checkContact(options, clock.monotonicMs() - lastContact);
  }
}

function checkContact({ exitWhenUnreachableMs }: TunnelOptions, silentMs: number): void {
  if (exitWhenUnreachableMs === undefined || silentMs < exitWhenUnreachableMs) return;
  throw new SandboxError('server_unreachable', `no server answered for ${Math.round(silentMs / 1000)} s`);
}

function toFinalError(failure: DialFailure): SandboxError {
  if (failure.kind === 'certificate') return new SandboxError('server_certificate', failure.message);
  return new SandboxError(
    failure.status === 410 ? 'sandbox_terminated' : 'permission_denied',
    failure.message,
  );
}

/** Serves one connection; resolves when it has ended. */
async function serve({ socket, duplex }: Connection, options: TunnelOptions): Promise<Ending> {
  const { clock, leaving, signal } = options;
  const server = options.server();
  const controller = new AbortController();
  const state = { wasHealthy: false };
  let session: ServerHttp2Session | undefined;
  server.once('session', (opened) => {
    session = opened;
    opened.once('remoteSettings', () => (state.wasHealthy = true));
  });
  const closed = new Promise<number>((resolve) => socket.once('close', (code) => resolve(code)));
  // HTTP/2's goodbye: what is under way goes on to its end, and the session ends with it.
  const onLeave = () => session?.close();
  const onAbort = () => void closeSocket(socket, clock, controller.signal);
  leaving.addEventListener('abort', onLeave, { once: true });
  signal.addEventListener('abort', onAbort, { once: true });
  server.emit('connection', duplex);
  void closeWhenSilent(options, controller.signal, () => state.wasHealthy || socket.terminate());
  void keepAlive(socket, { clock, signal: controller.signal });
  const code = await closed;
  controller.abort();
  leaving.removeEventListener('abort', onLeave);
  signal.removeEventListener('abort', onAbort);
  // The session ends with its stream. Destroying it by hand while a write is under way breaks an assertion of Node.js.
  duplex.destroy();
  return { ...state, code };
}

/** Closes a connection; a server that does not answer the close must not hold the host. */
async function closeSocket(socket: WebSocket, clock: Clock, closed: AbortSignal): Promise<void> {
  socket.close(CLOSE.goingAway);
  await clock.sleep(CLOSE_TIMEOUT_MS, { signal: closed }).catch(() => undefined);
  socket.terminate();
}

/** A server that accepts and never speaks counts as failed. */
async function closeWhenSilent(
  { clock }: TunnelOptions,
  signal: AbortSignal,
  close: () => void,
): Promise<void> {
  await clock.sleep(TUNNEL.handshakeTimeoutMs, { signal, unref: true }).catch(() => undefined);
  if (!signal.aborted) close();
}
