/** The roots that a server's certificate may go back to. */
import { readFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import { SandboxError, toErrorMessage } from '@omnigent/protocol';

/**
 * What Node.js trusts, NODE_EXTRA_CA_CERTS included, and the certificates of a PEM file.
 *
 * @throws SandboxError `usage` when the file cannot be read or holds none.
 */
export async function readRoots(path: string): Promise<string[]> {
  const pem = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new SandboxError('usage', `--ca-bundle: expected a readable file: ${toErrorMessage(cause)}`, {
      cause,
    });
  });
  if (!pem.includes('-----BEGIN CERTIFICATE-----'))
    throw new SandboxError('usage', `--ca-bundle: expected PEM certificates in ${path}, found none`);
  return [...getCACertificates('default'), pem];
}
