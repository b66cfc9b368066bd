/** Asks the host to make the workspace and follows its progress. */
import { HOST_ROUTES, SandboxError, isErrorCode, workspaceEventSchema } from '@omnigent/protocol';
import type { Clock, PrepareWorkspace } from '@omnigent/protocol';
import type { HostLink } from '../tunnel/host-link.ts';
import { readText } from '../tunnel/host-connection.ts';
import { readLines } from './read-lines.ts';

export interface PrepareOptions {
  readonly signal: AbortSignal;
  /** Called seldom, however much the host says. */
  readonly onProgress: (message: string) => void;
  readonly clock: Clock;
}

/** A host that keeps to the protocol says less than this; what a hostile one says more must not fill the store. */
const PROGRESS_INTERVAL_MS = 100;

/**
 * Returns the absolute path of the workspace.
 *
 * @throws SandboxError `clone_*` with git's text in `details.output`; `host_offline`; `host_protocol`.
 */
export async function prepareWorkspace(
  connection: HostLink,
  request: PrepareWorkspace,
  options: PrepareOptions,
): Promise<string> {
  const { signal } = options;
  const onProgress = toSeldom(options);
  const stream = connection.openStream({
    method: 'PUT',
    path: HOST_ROUTES.workspace,
    headers: { 'content-type': 'application/json' },
    hasBody: true,
    signal,
  });
  stream.end(JSON.stringify(request));
  const { status, body } = await connection.respond(stream, signal);
  if (status !== 200)
    throw new SandboxError(
      'host_protocol',
      `the host refused to make the workspace: ${(await readText(body)).slice(0, 500)}`,
    );
  for await (const line of readLines(body)) {
    const event = workspaceEventSchema.safeParse(parseJson(line)).data;
    if (event?.type === 'progress') onProgress(`${event.directory}: ${event.message}`);
    if (event?.type === 'done') return event.path;
    if (event?.type === 'failed') {
      throw new SandboxError(isErrorCode(event.code) ? event.code : 'clone_failed', event.message, {
        details: { output: event.output },
      });
    }
  }
  throw new SandboxError('host_offline', 'the host ended its answer before the workspace was made');
}

/** Drops what comes too soon after what was passed on. */
function toSeldom({ onProgress, clock }: PrepareOptions): (message: string) => void {
  let last = -Infinity;
  return (message) => {
    const now = clock.monotonicMs();
    if (now - last < PROGRESS_INTERVAL_MS) return;
    last = now;
    onProgress(message);
  };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
