/** The token Secret: the only place where the launch token is written. */
import type { Secret } from 'kubernetes-types/core/v1.js';
import { HOST_ENVIRONMENT } from '@omnigent/protocol';
import { buildTokenSecretName } from '../names/object-names.ts';
import { buildIdentityLabels } from './labels.ts';
import type { PodOptions } from './pod-options.ts';

export interface TokenSecretOptions extends Pick<PodOptions, 'podName' | 'hostId' | 'instance'> {
  readonly namespace: string;
  readonly token: string;
}

/** A manifest always has a kind and a name. */
export type SecretManifest = Secret & {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly metadata: { readonly name: string };
};

/** Builds the Secret. Pure. */
export function buildTokenSecretManifest(options: TokenSecretOptions): SecretManifest {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: buildTokenSecretName(options.podName),
      namespace: options.namespace,
      labels: buildIdentityLabels(options),
    },
    type: 'Opaque',
    immutable: true,
    data: { [HOST_ENVIRONMENT.token]: Buffer.from(options.token).toString('base64') },
  };
}
