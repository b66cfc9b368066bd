/** `omnigent server`: settings, state directory, server, signals; only sequences. */
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import {
  EXIT,
  VERSION,
  isSandboxError,
  systemClock,
  systemRandomBytes,
  toErrorMessage,
} from '@omnigent/protocol';
import { ensureTokenFile, readTokenFile } from './auth/token-file.ts';
import { startServer } from './create-server.ts';
import type { RunningServer } from './create-server.ts';
import { claimState } from './embedded/claim-state.ts';
import { waitUntilIdle } from './embedded/idle-end.ts';
import { readStartTime } from './embedded/process-identity.ts';
import { readLastPort, removeServerFile, writeLastPort, writeServerFile } from './embedded/server-file.ts';
import type { StateLock } from './embedded/state-lock.ts';
import { findHostBundle } from './launchers/host-bundle.ts';
import { createLaunchers } from './launchers/launchers.ts';
import { createLogger } from './observability/logger.ts';
import { ensureInstanceId } from './settings/instance-id.ts';
import { SERVER_USAGE, parseServerArguments, resolveServerSettings } from './settings/settings.ts';
import type { ServerSettings } from './settings/settings.ts';

const FLUSH_MS = 2_000;
const CLAIM_TIMEOUT_MS = 15_000;
const IDLE_MS = 10_000;
/** A shutdown that hangs is cut: the next process goes on from the store. */
const SHUTDOWN_MS = 10_000;

async function start(settings: ServerSettings): Promise<RunningServer> {
  const { stateDirectory, tokenFile } = settings;
  const clock = systemClock;
  const randomBytes = systemRandomBytes;
  const [token, instance, preferredPort] = await Promise.all([
    tokenFile === undefined
      ? ensureTokenFile(join(stateDirectory, 'token'), randomBytes)
      : readTokenFile(tokenFile),
    settings.instance ?? ensureInstanceId(stateDirectory, randomBytes),
    readLastPort(stateDirectory),
    removeServerFile(stateDirectory),
  ]);
  const logger = createLogger(settings.isEmbedded ? join(stateDirectory, 'server.log') : undefined);
  const launchers = await createLaunchers(
    {
      stateDirectory,
      instance,
      clock,
      randomBytes,
      environment: process.env,
      nodePath: process.execPath,
      hostBundle: findHostBundle(import.meta.url),
    },
    settings.providers,
  );
  const server = await startServer({
    settings,
    instance,
    token,
    launchers,
    logger,
    clock,
    randomBytes,
    preferredPort,
  });
  await Promise.all([
    writeServerFile(stateDirectory, {
      url: server.url,
      pid: process.pid,
      pid_start_time: (await readStartTime(process.pid)) ?? '',
      version: VERSION,
    }),
    writeLastPort(stateDirectory, server.port),
  ]);
  logger.info({ url: server.url, version: VERSION }, 'ready');
  return server;
}

/** Resolves when the process should end. */
async function waitForEnd(settings: ServerSettings, server: RunningServer): Promise<void> {
  const controller = new AbortController();
  const ends = [
    new Promise<void>((resolve) => {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(signal, () => resolve());
    }),
  ];
  if (settings.isEmbedded) {
    ends.push(
      waitUntilIdle({
        clock: systemClock,
        idleMs: IDLE_MS,
        isBusy: () => server.isBusy(),
        countSandboxes: () => server.store.sandboxes.count(),
        signal: controller.signal,
      }),
    );
  }
  await Promise.race(ends).finally(() => controller.abort());
}

async function serve(settings: ServerSettings, lock: StateLock): Promise<void> {
  const server = await start(settings);
  printReady(server.url, process.pid);
  // A server that is killed later still leaves its compiled code for the next one.
  setTimeout(flushCompileCache, FLUSH_MS).unref();
  await waitForEnd(settings, server);
  setTimeout(() => process.exit(EXIT.failure), SHUTDOWN_MS).unref();
  await removeServerFile(settings.stateDirectory);
  await server.close();
  lock.release();
}

function printReady(url: string, pid: number): void {
  process.stdout.write(`${JSON.stringify({ url, pid })}\n`);
}

async function main(args: readonly string[]): Promise<number> {
  const flags = parseServerArguments(args);
  if (flags.help) {
    process.stdout.write(SERVER_USAGE);
    return EXIT.ok;
  }
  const settings = await resolveServerSettings(flags, process.env);
  const { stateDirectory } = settings;
  const claim = await claimState({ stateDirectory, clock: systemClock, timeoutMs: CLAIM_TIMEOUT_MS });
  if ('lock' in claim) await serve(settings, claim.lock);
  else if (settings.isEmbedded) printReady(claim.running.url, claim.running.pid);
  else throw new Error(`a server runs on ${stateDirectory} already: ${claim.running.url}`);
  return EXIT.ok;
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    const advice = isSandboxError(error) ? ` ${error.advice}` : '';
    process.stderr.write(`omnigent server: ${toErrorMessage(error)}.${advice}\n`);
    process.exit(isSandboxError(error) && error.code === 'usage' ? EXIT.usage : EXIT.failure);
  },
);
