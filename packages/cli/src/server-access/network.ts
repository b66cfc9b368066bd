/** Extra roots and proxies for the connection to the server. */
import { readFile } from 'node:fs/promises';
import { COMMAND_ENVIRONMENT, SandboxError, toErrorMessage } from '@omnigent/protocol';

type Environment = Readonly<Record<string, string | undefined>>;

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const PROXY_NAMES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

/** Makes the process trust `--ca-bundle` and use the environment's proxy for a server that is not on loopback. */
export async function configureNetwork(
  url: string,
  options: { readonly caBundle: string | undefined; readonly environment: Environment },
): Promise<void> {
  const { environment } = options;
  const caBundle = options.caBundle ?? environment[COMMAND_ENVIRONMENT.caBundle];
  if (caBundle !== undefined && caBundle !== '') await trustBundle(caBundle);
  const usesProxy = PROXY_NAMES.some((name) => (environment[name] ?? '') !== '');
  if (!usesProxy || LOOPBACK.test(new URL(url).hostname)) return;
  const { setGlobalProxyFromEnv } = await import('node:http');
  setGlobalProxyFromEnv({ ...environment });
}

async function trustBundle(path: string): Promise<void> {
  const pem = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new SandboxError('usage', `--ca-bundle: ${toErrorMessage(cause)}`, { cause });
  });
  if (!pem.includes('-----BEGIN CERTIFICATE-----'))
    throw new SandboxError('usage', `--ca-bundle: expected PEM certificates in ${path}, found none`);
  const tls = await import('node:tls');
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), pem]);
}
