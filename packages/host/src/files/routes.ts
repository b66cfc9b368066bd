/** The host API of files. */
import {
  createDirectorySchema,
  deleteFileQuerySchema,
  readFileQuerySchema,
  writeFileQuerySchema,
} from '@omnigent/protocol';
import type { Exchange } from '../api/exchange.ts';
import type { Route } from '../api/router.ts';
import { createDirectory, removeFile } from './change-tree.ts';
import { listDirectory, statFile } from './describe-file.ts';
import { withFileFaults } from './file-fault.ts';
import type { FileScope } from './opened-path.ts';
import { sendFile } from './read-file.ts';
import { writeFile } from './write-file.ts';

const toMode = (octal: string | undefined) => (octal === undefined ? undefined : Number.parseInt(octal, 8));

async function read(exchange: Exchange, scope: FileScope): Promise<void> {
  const { path, stat, list } = exchange.query(readFileQuerySchema);
  await withFileFaults(path, async () => {
    if (stat === '1') return exchange.json(200, await statFile(scope, path));
    if (list === '1') return exchange.json(200, await listDirectory(scope, path));
    await sendFile(exchange, scope, path);
  });
}

async function write(exchange: Exchange, scope: FileScope): Promise<void> {
  const { path, mode, parents } = exchange.query(writeFileQuerySchema);
  const options = { path, mode: toMode(mode), parents: parents === '1' };
  const isNew = await withFileFaults(path, () => writeFile(exchange, scope, options));
  exchange.empty(isNew ? 201 : 204);
}

async function remove(exchange: Exchange, scope: FileScope): Promise<void> {
  const { path, recursive } = exchange.query(deleteFileQuerySchema);
  await withFileFaults(path, () => removeFile(scope, { path, recursive: recursive === '1' }));
  exchange.empty();
}

async function make(exchange: Exchange, scope: FileScope): Promise<void> {
  const { path, mode } = await exchange.body(createDirectorySchema);
  await withFileFaults(path, () => createDirectory(scope, { path, mode: toMode(mode) }));
  exchange.empty();
}

/** `/v1/files` and `/v1/directories`. */
export function buildFileRoutes(scope: FileScope): Route[] {
  return [
    { method: 'GET', path: '/v1/files', answer: (exchange) => read(exchange, scope) },
    { method: 'PUT', path: '/v1/files', answer: (exchange) => write(exchange, scope) },
    { method: 'DELETE', path: '/v1/files', answer: (exchange) => remove(exchange, scope) },
    { method: 'POST', path: '/v1/directories', answer: (exchange) => make(exchange, scope) },
  ];
}
