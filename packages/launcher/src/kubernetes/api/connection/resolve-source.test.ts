import { describe, expect, it } from 'vitest';
import { resolveConfigSource } from './resolve-source.ts';
import type { SourceOptions } from './resolve-source.ts';

const TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';
const IN_CLUSTER = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '6443' };
const inCluster = {
  type: 'in-cluster',
  server: 'https://10.0.0.1:6443',
  tokenFile: TOKEN,
  caFile: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
};

function resolve(files: readonly string[], options: Partial<SourceOptions>) {
  return resolveConfigSource({ environment: {}, fileExists: (file) => files.includes(file), ...options });
}

describe('where the configuration comes from', () => {
  const home = { HOME: '/home/me' };
  const cases: [string, [readonly string[], Partial<SourceOptions>], object][] = [
    ['in-cluster first', [[TOKEN, '/k'], { environment: IN_CLUSTER, kubeconfig: '/k' }], inCluster],
    ['in-cluster only, when it must be', [[TOKEN], { environment: IN_CLUSTER, inCluster: true }], inCluster],
    [
      'never in-cluster, when it must not be',
      [[TOKEN, '/k'], { environment: IN_CLUSTER, inCluster: false, kubeconfig: '/k' }],
      { type: 'kubeconfig', files: ['/k'] },
    ],
    [
      'not in-cluster without a token',
      [['/k'], { environment: IN_CLUSTER, kubeconfig: '/k' }],
      { type: 'kubeconfig', files: ['/k'] },
    ],
    [
      'the configured file before KUBECONFIG',
      [['/k', '/a'], { environment: { KUBECONFIG: '/a' }, kubeconfig: '/k' }],
      { type: 'kubeconfig', files: ['/k'] },
    ],
    [
      'those files of KUBECONFIG that exist',
      [['/a', '/c'], { environment: { KUBECONFIG: '/a:/b::/c' } }],
      { type: 'kubeconfig', files: ['/a', '/c'] },
    ],
    [
      'the file in the home directory last',
      [['/home/me/.kube/config'], { environment: home }],
      { type: 'kubeconfig', files: ['/home/me/.kube/config'] },
    ],
  ];

  it.each(cases)('is %s', (_what, [files, options], expected) => {
    expect(resolve(files, options)).toEqual(expected);
  });

  it('writes an IPv6 address in brackets', () => {
    const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1' };
    expect(resolve([TOKEN], { environment })).toMatchObject({ server: 'https://[fd00::1]:443' });
  });
});

describe('when there is none, the error says what was looked for', () => {
  const cases: [string, [readonly string[], Partial<SourceOptions>], RegExp][] = [
    [
      'anywhere',
      [[], { environment: { HOME: '/home/me' } }],
      /KUBERNETES_SERVICE_HOST is not set.*KUBECONFIG is not set.*\/home\/me\/\.kube\/config/,
    ],
    [
      'in-cluster',
      [['/k'], { inCluster: true, kubeconfig: '/k' }],
      /in_cluster is true.*KUBERNETES_SERVICE_HOST is not set/,
    ],
    [
      'in-cluster without a token',
      [[], { inCluster: true, environment: IN_CLUSTER }],
      /there is no token at \/var\/run/,
    ],
    ['a configured file', [[], { kubeconfig: '/k' }], /the configured kubeconfig \/k does not exist/],
    ['the files of KUBECONFIG', [[], { environment: { KUBECONFIG: '/a:/b' } }], /KUBECONFIG names \/a, \/b/],
    ['outside a cluster only', [[], { inCluster: false }], /in_cluster is false/],
  ];

  it.each(cases)('%s', (_what, [files, options], message) => {
    expect(() => resolve(files, options)).toThrow(
      expect.objectContaining({ code: 'cluster_config', message: expect.stringMatching(message) }),
    );
  });
});
