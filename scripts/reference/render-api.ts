/** docs/reference/api.md from routes and schemas. */
import { HOST_CALLS, SANDBOX_CALLS, SERVICE_CALLS } from './api-calls.ts';
import type { ApiCall, NamedSchema } from './api-call.ts';
import { describeSchema } from './describe-schema.ts';
import { renderTable } from './render-table.ts';

/** Renders the page of the API. */
export function renderApi(): string {
  const schemas = collectSchemas([...SANDBOX_CALLS, ...HOST_CALLS, ...SERVICE_CALLS]);
  return `# The API

JSON over HTTP. Every call but the health checks carries \`Authorization: Bearer TOKEN\`. Errors are problem documents with a
[code](errors.md); every answer carries \`x-request-id\`. \`{sandbox}\` is the id of a sandbox or the name of a live one.

## Sandboxes

${renderCalls(SANDBOX_CALLS)}

## Inside a sandbox

The server checks the right to the sandbox and lets these through to its host, unchanged and as a stream.

${renderCalls(HOST_CALLS)}

## The server

${renderCalls(SERVICE_CALLS)}

# Messages

${schemas.map(renderSchema).join('\n\n')}
`;
}

function renderCalls(calls: readonly ApiCall[]): string {
  const rows = calls.map(({ method, path, meaning, query, body, answer }) => [
    `\`${method} ${path}\``,
    meaning,
    [query, body].flatMap((schema) => (schema ? [link(schema)] : [])).join(', '),
    answer ? link(answer) : '',
  ]);
  return renderTable(['call', 'meaning', 'takes', 'answers'], rows);
}

function link({ name }: NamedSchema): string {
  return `[${name}](#${name.replaceAll(' ', '-')})`;
}

function collectSchemas(calls: readonly ApiCall[]): NamedSchema[] {
  const named = calls.flatMap(({ query, body, answer }) => [query, body, answer]);
  return [...new Map(named.flatMap((schema) => (schema ? [[schema.name, schema]] : []))).values()];
}

function renderSchema({ name, schema }: NamedSchema): string {
  const rows = describeSchema(schema).map(({ field, type, presence }) => [`\`${field}\``, type, presence]);
  return `## ${name}\n\n${renderTable(['field', 'type', ''], rows)}`;
}
