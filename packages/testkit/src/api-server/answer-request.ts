/** Answers one request, with the fault that strikes it. */
import type { ServerResponse } from 'node:http';
import type { ApiRequest } from './api-request.ts';
import { dispatch, toRefusalAnswer } from './dispatch.ts';
import type { ApiAnswer } from './dispatch.ts';
import type { FakeState } from './fake-state.ts';
import type { FaultEffect } from './faults.ts';
import { ApiRefusal } from './status.ts';
import type { Watches } from './watches.ts';

export interface AnswerContext {
  readonly state: FakeState;
  readonly watches: Watches;
  readonly response: ServerResponse;
}

function send({ status, body, contentType, headers }: ApiAnswer, response: ServerResponse): void {
  response.writeHead(status, { 'content-type': contentType, ...headers });
  response.end(body);
}

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

function openWatch(request: ApiRequest, { state, watches, response }: AnswerContext): void {
  try {
    state.rights.check(request);
    watches.open(request, response);
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    send(toRefusalAnswer(error), response);
  }
}

function answerPlainly(request: ApiRequest, context: AnswerContext): void {
  if (request.verb === 'watch') openWatch(request, context);
  else send(dispatch(request, context.state), context.response);
}

/** Half of the body, and the connection is gone. */
function sendHalf({ status, body, contentType }: ApiAnswer, response: ServerResponse): void {
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  response.write(body.slice(0, body.length / 2), () => setImmediate(() => reset(response)));
}

/** Answers as the effect says; null answers plainly. */
export async function answerRequest(
  request: ApiRequest,
  effect: FaultEffect | null,
  context: AnswerContext,
): Promise<void> {
  const { state, response } = context;
  switch (effect?.type) {
    case undefined:
      return answerPlainly(request, context);
    case 'refuse':
      return send(toRefusalAnswer(new ApiRefusal(effect.status, effect.headers)), response);
    case 'answer':
      return send({ contentType: 'text/html', headers: {}, ...effect }, response);
    case 'reset':
      return reset(response);
    case 'lose-answer':
      dispatch(request, state);
      return reset(response);
    case 'silence':
      return;
    case 'swallow-answer':
      dispatch(request, state);
      return;
    case 'delay':
      await state.clock.sleep(effect.delayMs, { unref: true });
      return answerPlainly(request, context);
    case 'truncate':
      return sendHalf(dispatch(request, state), response);
  }
}
