/** Structured logs with secrets taken out at the logger, so that no call site can forget. */
import { destination, pino } from 'pino';
import type { Logger } from 'pino';
import { isSandboxError, toErrorMessage } from '@omnigent/protocol';

const SECRET_KEYS = [
  'token',
  'authorization',
  'password',
  'env',
  'x-omnigent-host-token',
  'OMNIGENT_HOST_TOKEN',
];
/** pino has no wildcard of any depth; logged facts are at most two levels deep. */
const REDACTED = SECRET_KEYS.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]);

/** Errors as code, message, stack and causes; nothing of their other fields, which may hold what a caller or a cluster sent. */
export function renderError(error: unknown): Record<string, unknown> {
  return {
    ...(isSandboxError(error) ? { code: error.code } : {}),
    message: toErrorMessage(error),
    ...(error instanceof Error ? { stack: error.stack } : {}),
    ...(error instanceof Error && error.cause !== undefined ? { cause: toErrorMessage(error.cause) } : {}),
  };
}

/** Creates the logger of the process; `file` undefined is standard error. */
export function createLogger(file: string | undefined): Logger {
  return pino(
    {
      level: 'info',
      base: { pid: process.pid },
      redact: { paths: REDACTED, censor: '[redacted]' },
      serializers: { error: renderError, err: renderError },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination(
      file === undefined ? { fd: 2, sync: true } : { dest: file, sync: true, append: true, mode: 0o600 },
    ),
  );
}
