import { expect, it } from 'vitest';
import { buildTokenSecretManifest } from './token-secret.ts';

it('holds the token under one key, immutable, with the labels of its Pod', () => {
  const secret = buildTokenSecretManifest({
    namespace: 'n',
    podName: 'omnigent-demo-0a1b2c',
    hostId: 'h0123456789ab',
    instance: 'test',
    token: 'a-launch-token',
  });
  expect(secret).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'omnigent-demo-0a1b2c-token',
      namespace: 'n',
      labels: {
        'app.kubernetes.io/managed-by': 'omnigent',
        'omnigent.ai/role': 'sandbox-host',
        'omnigent.ai/instance': 'test',
        'omnigent.ai/host-id': 'h0123456789ab',
      },
    },
    type: 'Opaque',
    immutable: true,
    data: { OMNIGENT_HOST_TOKEN: Buffer.from('a-launch-token').toString('base64') },
  });
});
