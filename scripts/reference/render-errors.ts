/** docs/reference/errors.md from the error registry. */
import { ERRORS } from '@omnigent/protocol';
import { renderTable } from './render-table.ts';

/** Renders the page of error codes. */
export function renderErrors(): string {
  const rows = Object.entries(ERRORS).map(([code, { status, retryable, title, advice }]) => [
    `\`${code}\``,
    String(status),
    retryable ? 'yes' : 'no',
    title,
    advice,
  ]);
  return `# Error codes

Every error of the server is an \`application/problem+json\` document (RFC 9457) whose \`code\` is one of these. The command
prints the same code, and the SDK throws a \`SandboxError\` with it. "Retry" says whether the same request can succeed
later without a change.

${renderTable(['code', 'status', 'retry', 'what happened', 'what to do'], rows)}
`;
}
