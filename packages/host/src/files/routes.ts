/** The host API of files. */
import {
  createDirectorySchema,
  deleteFileQuerySchema,
  readArchiveQuerySchema,
  readFileQuerySchema,
  writeArchiveQuerySchema,
  writeFileQuerySchema,
} from '@omnigent/protocol';
import type { Exchange } from '../api/exchange.ts';
import type { Route } from '../api/router.ts';
import { receiveArchive, sendArchive } from './archive.ts';
import { createDirectory, removeFile } from './change-tree.ts';
import { listDirectory, statFile } from './describe-file.ts';
import { withFileFaults } from './file-fault.ts';
import type { FileScope } from './opened-path.ts';
import { sendFile } from './read-file.ts';
import { statUpload, writePart } from './upload.ts';
import { writeFile } from './write-file.ts';

const toMode = (octal: string | undefined) => (octal === undefined ? undefined : Number.parseInt(octal, 8));

async function read(exchange: Exchange, scope: FileScope): Promise<void> {
  const { path, stat, list, upload } = exchange.query(readFileQuerySchema);
  await withFileFaults(path, async () => {
    if (stat === '1' && upload !== undefined)
      return exchange.json(200, await statUpload(scope, { path, upload }));
    if (stat === '1') return exchange.json(200, await statFile(scope, path));
    if (list === '1') return exchange.json(200, await listDirectory(scope, path));
    await sendFile(exchange, scope, path);
  });
}

async function write(exchange: Exchange, scope: FileScope): Promise<void> {
  const { path, mode, modified_at, parents, upload, offset, size } = exchange.query(writeFileQuerySchema);
  const options = {
    path,
    mode: toMode(mode),
    modifiedAt: modified_at === undefined ? undefined : new Date(modified_at),
    parents: parents === '1',
  };
  if (upload === undefined || offset === undefined || size === undefined) {
    const isNew = await withFileFaults(path, () => writeFile(exchange, scope, options));
    return exchange.empty(isNew ? 201 : 204);
  }
  const part = { ...options, upload, offset, size };
  const outcome = await withFileFaults(path, () => writePart(exchange, scope, part));
  exchange.empty({ partial: 202, created: 201, replaced: 204 }[outcome]);
}

async function pack(exchange: Exchange, scope: FileScope): Promise<void> {
  const { path, follow } = exchange.query(readArchiveQuerySchema);
  await withFileFaults(path, () => sendArchive(exchange, scope, { path, follow: follow === '1' }));
}

async function unpack(exchange: Exchange, scope: FileScope): Promise<void> {
  const { path, parents } = exchange.query(writeArchiveQuerySchema);
  await withFileFaults(path, () => receiveArchive(exchange, scope, { path, parents: parents === '1' }));
  exchange.empty();
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

/** `/v1/files`, `/v1/directories` and `/v1/archive`. */
export function buildFileRoutes(scope: FileScope): Route[] {
  return [
    { method: 'GET', path: '/v1/files', answer: (exchange) => read(exchange, scope) },
    { method: 'PUT', path: '/v1/files', answer: (exchange) => write(exchange, scope) },
    { method: 'DELETE', path: '/v1/files', answer: (exchange) => remove(exchange, scope) },
    { method: 'POST', path: '/v1/directories', answer: (exchange) => make(exchange, scope) },
    { method: 'GET', path: '/v1/archive', answer: (exchange) => pack(exchange, scope) },
    { method: 'PUT', path: '/v1/archive', answer: (exchange) => unpack(exchange, scope) },
  ];
}
