/** A server of this checkout on loopback, for as long as something needs it. */
import { z } from 'zod';
import { startCommand, waitForSuccess } from './start-command.ts';

const readyLineSchema = z.object({ url: z.url(), pid: z.int() });

/** A running server; it is stopped when it is disposed. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

/** Starts the server on a free port and resolves once it accepts requests. */
export async function startServer(options: { readonly stateDirectory: string }): Promise<RunningServer> {
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>();
  const log: string[] = [];
  const child = startCommand(['server', '--listen', '127.0.0.1:0'], {
    stateDirectory: options.stateDirectory,
    onOutput: resolve,
    onProgress: (line) => log.push(line),
  });
  const ended = waitForSuccess(child, 'the server');
  ended.catch((error: unknown) => reject(new Error(log.slice(-20).join('\n'), { cause: error })));
  const { url, pid } = readyLineSchema.parse(JSON.parse(await ready));
  return {
    url,
    pid,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
