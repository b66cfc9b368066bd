/** A mutating admission webhook of the test, for the Pods of one namespace, with a certificate of its own. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { kubectl } from './cluster.ts';
import { createCertificate } from './certificate.ts';
import type { Certificate } from './certificate.ts';

/** Changes as JSON Patch, or a refusal. */
export type Verdict = { readonly patch: readonly object[] } | { readonly refusal: string };

export interface WebhookOptions {
  readonly namespace: string;
  /** Where the API server finds this machine. */
  readonly address: string;
  readonly verdict: Verdict;
}

export interface Webhook extends AsyncDisposable {
  readonly name: string;
  verdict: Verdict;
  /** Nobody answers until it is opened again. */
  shut(): Promise<void>;
  open(): Promise<void>;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function buildReview(body: string, verdict: Verdict): string {
  const { request } = JSON.parse(body) as { request: { uid: string } };
  const answer =
    'patch' in verdict
      ? {
          allowed: true,
          patchType: 'JSONPatch',
          patch: Buffer.from(JSON.stringify(verdict.patch)).toString('base64'),
        }
      : { allowed: false, status: { code: 403, message: verdict.refusal } };
  return JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: request.uid, ...answer },
  });
}

function buildConfiguration(
  name: string,
  { namespace, url, ca }: Record<'namespace' | 'url' | 'ca', string>,
) {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        timeoutSeconds: 5,
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        clientConfig: { url, caBundle: Buffer.from(ca).toString('base64') },
      },
    ],
  };
}

class TestWebhook implements Webhook {
  readonly name: string;
  verdict: Verdict;
  readonly #certificate: Certificate;
  readonly #address: string;
  #server: Server | null = null;
  port = 0;

  constructor({ namespace, address, verdict }: WebhookOptions, certificate: Certificate) {
    this.name = `${namespace}.webhook.test`;
    this.verdict = verdict;
    this.#address = address;
    this.#certificate = certificate;
  }

  async open(): Promise<void> {
    const { key, cert } = this.#certificate;
    const server = createServer({ key, cert }, (request, response) => {
      response.setHeader('content-type', 'application/json');
      readBody(request).then(
        (body) => response.end(buildReview(body, this.verdict)),
        () => response.destroy(),
      );
    });
    server.listen(this.port, this.#address);
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async shut(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await kubectl(['delete', 'mutatingwebhookconfiguration', this.name, '--ignore-not-found']);
    await this.shut();
  }
}

export async function openWebhook(options: WebhookOptions): Promise<Webhook> {
  const { namespace, address } = options;
  const certificate = await createCertificate(address);
  const webhook = new TestWebhook(options, certificate);
  await webhook.open();
  const url = `https://${address}:${webhook.port}/`;
  const configuration = buildConfiguration(webhook.name, { namespace, url, ca: certificate.ca });
  await kubectl(['apply', '-f', '-'], JSON.stringify(configuration));
  return webhook;
}
