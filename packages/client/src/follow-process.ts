/** Starts or follows a program and goes on after any interruption at the last offset: nothing lost, nothing twice. */
import {
  HOST_ROUTES,
  LOG_STREAM,
  LogDecoder,
  SERVER_ROUTES,
  SandboxError,
  isSandboxError,
  processExitSchema,
} from '@omnigent/protocol';
import type { LogRecord, ProcessExit, StartProcessInput } from '@omnigent/protocol';
import type { FetchResponse, Http } from './http.ts';
import { readBody } from './read-body.ts';
import { Reattacher } from './reattach.ts';
import type { ReattachOptions } from './reattach.ts';

export interface FollowProcessOptions extends ReattachOptions {
  readonly http: Http;
  readonly sandboxId: string;
  readonly processId: string;
  /** Log offset at which to begin. */
  readonly offset: number;
  /** Starts the program with this request; a repeat starts nothing twice. Absent: it runs already. */
  readonly start?: StartProcessInput;
  readonly onStarted?: () => void;
}

/** Yields every record of the log; the last one is the exit ({@link parseExit}). */
export async function* followProcess(options: FollowProcessOptions): AsyncGenerator<LogRecord> {
  const { http, processId } = options;
  const reattacher = new Reattacher(options);
  const state = { offset: options.offset, isStarted: options.start === undefined };
  for (;;) {
    try {
      const response = await open(options, state);
      if (!state.isStarted) options.onStarted?.();
      state.isStarted = true;
      // A record that was cut is asked for again as a whole, so that a gap can only be between records.
      const decoder = new LogDecoder(state.offset);
      for await (const chunk of readBody(response)) {
        for (const record of decoder.push(chunk)) {
          reattacher.succeed();
          state.offset = record.end;
          yield record;
          if (record.stream === LOG_STREAM.exit) return;
        }
      }
      throw new SandboxError(
        'host_offline',
        `the output of process ${processId} ended before its exit status came`,
      );
    } catch (error) {
      const known = isSandboxError(error) ? error : http.toConnectionError(error, options.signal);
      if (known.code === 'process_not_found' && state.isStarted) throw toLostError(processId, known);
      await reattacher.waitAfter(known);
    }
  }
}

async function open(
  options: FollowProcessOptions,
  { offset, isStarted }: { readonly offset: number; readonly isStarted: boolean },
): Promise<FetchResponse> {
  const { http, sandboxId, processId, start, signal } = options;
  const query = { follow: 1, offset };
  if (!isStarted && start !== undefined) {
    const path = SERVER_ROUTES.host(sandboxId, HOST_ROUTES.process(processId));
    return await http.send({ method: 'PUT', path, query, json: start, signal });
  }
  return await http.send({
    method: 'GET',
    path: SERVER_ROUTES.host(sandboxId, HOST_ROUTES.output(processId)),
    query,
    signal,
  });
}

/** The host that ran the program is gone, and with it the program's end: never a success. */
export function toLostError(processId: string, cause: SandboxError): SandboxError {
  return new SandboxError(
    'host_lost',
    `the host that ran process ${processId} died; how the program ended is unknown`,
    { cause },
  );
}

/** Reads the exit record. @throws SandboxError `host_protocol`. */
export function parseExit(record: LogRecord): ProcessExit {
  try {
    return processExitSchema.parse(JSON.parse(new TextDecoder().decode(record.data)));
  } catch (cause) {
    throw new SandboxError('host_protocol', 'the exit record is not as agreed', { cause });
  }
}
