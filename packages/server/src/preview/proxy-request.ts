/** One request and its answer, both ways at the pace of the reader; whichever side goes, takes the other with it. */
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { AnswerFacts } from './answer-headers.ts';
import { buildAnswerHeaders } from './answer-headers.ts';
import { askProgram, lingerAndClose, toKnownError, whenAnswered } from './ask-program.ts';
import type { ProgramRequest } from './ask-program.ts';
import { hasBody } from './request-headers.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Resolves when the head of the answer is on its way. @throws SandboxError when there is no answer. */
export async function proxyRequest(
  { request, response }: Exchange,
  program: ProgramRequest,
  facts: AnswerFacts,
): Promise<void> {
  const asked = askProgram(program);
  const abandon = () => {
    asked.destroy();
    program.socket.destroy();
  };
  response.once('close', () => {
    if (response.writableFinished) lingerAndClose(program.socket);
    else abandon();
  });
  if (response.destroyed) return abandon();
  sendBody(request, asked);
  const answer = await whenAnswered(asked);
  try {
    sendAnswer(answer, response, facts);
  } catch (error) {
    // A status or header that HTTP does not have.
    answer.destroy();
    throw toKnownError(error);
  }
}

function sendBody(request: IncomingMessage, asked: ClientRequest): void {
  if (!hasBody(request)) return void asked.end();
  request.pipe(asked);
  // A program may answer before it has read everything; the rest is read away, so that the next request is found.
  asked.once('close', () => {
    request.unpipe(asked);
    request.resume();
  });
}

function sendAnswer(answer: IncomingMessage, response: ServerResponse, facts: AnswerFacts): void {
  response.sendDate = false;
  const headers = buildAnswerHeaders(answer.rawHeaders, facts);
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
  response.flushHeaders();
  answer.pipe(response, { end: false });
  answer.once('end', () => {
    response.addTrailers(toTrailers(answer));
    response.end();
  });
  answer.once('error', () => response.destroy());
}

function toTrailers({ trailers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(trailers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
