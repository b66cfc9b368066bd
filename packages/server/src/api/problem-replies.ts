/** Errors to problem documents: the one place where an error leaves the process. */
import type { ServerResponse } from 'node:http';
import type { FastifyError, FastifyInstance } from 'fastify';
import { PROBLEM_CONTENT_TYPE, SandboxError, isSandboxError, toProblem } from '@omnigent/protocol';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';

/** The registry's error for anything thrown in a route. */
export function toKnownError(error: unknown): unknown {
  if (isSandboxError(error)) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    const issue = error.validation[0];
    const field = issue?.instancePath.replace(/^\//, '').replaceAll('/', '.') ?? '';
    const place =
      field === ''
        ? (error.validationContext ?? 'request')
        : `${error.validationContext ?? 'request'}, field ${field}`;
    return new SandboxError('invalid_request', `${place}: ${issue?.message ?? 'not valid'}`);
  }
  const { statusCode, message } = error as Partial<FastifyError>;
  if (statusCode === 413) return new SandboxError('too_large', 'the body is too large');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new SandboxError('invalid_request', message ?? 'not valid');
  return error;
}

/** Installs the handlers for errors and unknown paths. */
export function installProblemReplies(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const known = toKnownError(error);
    if (!isSandboxError(known)) request.log.error({ err: error }, 'unexpected error');
    const problem = toProblem(known, request.id);
    return reply
      .code(problem.status)
      .header('content-type', PROBLEM_CONTENT_TYPE)
      .send(JSON.stringify(problem));
  });
  app.setNotFoundHandler((request) => {
    throw new SandboxError('route_not_found', `there is no ${request.method} ${request.url.split('?')[0]}`);
  });
}

/** Sends a problem on a raw response. */
export function replyProblem(response: ServerResponse, error: unknown, requestId: string): void {
  const problem = toProblem(toKnownError(error), requestId);
  response.writeHead(problem.status, { 'content-type': PROBLEM_CONTENT_TYPE, 'x-request-id': requestId });
  response.end(JSON.stringify(problem));
}
