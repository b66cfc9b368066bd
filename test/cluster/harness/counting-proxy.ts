/** A door before the API server that counts who goes through; the rights are those of the kubeconfig behind it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request as sendRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface CountingProxy extends AsyncDisposable {
  /** Of a kubeconfig that leads through the door. */
  readonly kubeconfig: string;
  /** `POST /api/v1/namespaces/ns/pods`, in order. */
  readonly requests: string[];
}

function buildKubeconfig(url: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'counted', cluster: { server: url } }],
    users: [{ name: 'counted', user: {} }],
    contexts: [{ name: 'counted', context: { cluster: 'counted', user: 'counted' } }],
    'current-context': 'counted',
  });
}

function forward(port: number, request: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = request;
  const onward = sendRequest({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    // A watch answers long before its first line.
    response.flushHeaders();
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

/** Starts `kubectl proxy` with the kubeconfig, and the door before it. */
export async function startCountingProxy(kubeconfig: string): Promise<CountingProxy> {
  const directory = await mkdtemp(join(tmpdir(), 'omnigent-proxy-'));
  const file = join(directory, 'kubeconfig');
  await writeFile(file, kubeconfig, { mode: 0o600 });
  const kubectl = spawn('kubectl', ['proxy', '--kubeconfig', file, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: kubectl.stdout }), 'line')) as [string];
  const port = Number(/:(\d+)$/.exec(line)?.[1]);
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    forward(port, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    kubeconfig: buildKubeconfig(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      kubectl.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
