/** A certificate for an address, by a CA made for it alone. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
  /** PEM of the CA. */
  readonly ca: string;
}

const STEPS = (address: string): readonly string[] => [
  'req -x509 -newkey rsa:2048 -nodes -days 2 -keyout ca.key -out ca.crt -subj /CN=Test-CA',
  `req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=test -addext subjectAltName=IP:${address}`,
  'x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -copy_extensions copy -out server.crt',
];

export async function createCertificate(address: string): Promise<Certificate> {
  const directory = await mkdtemp(join(tmpdir(), 'omnigent-certificate-'));
  try {
    for (const step of STEPS(address))
      execFileSync('openssl', step.split(' '), { cwd: directory, stdio: 'ignore' });
    const read = async (name: string) => await readFile(join(directory, name), 'utf8');
    return { key: await read('server.key'), cert: await read('server.crt'), ca: await read('ca.crt') };
  } finally {
    await rm(directory, { recursive: true });
  }
}
