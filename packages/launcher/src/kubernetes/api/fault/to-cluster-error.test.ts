import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isClusterError } from '../cluster-error.ts';
import type { ClusterTarget } from '../cluster-error.ts';
import { toAnswerError, toDeadlineError, toMalformedError, toNetworkError } from './to-cluster-error.ts';

const target: ClusterTarget = { verb: 'create', resource: 'pods', namespace: 'sandboxes', name: 's1' };

function answer(status: number, message: string, extra: object = {}) {
  const body = JSON.stringify({ kind: 'Status', status: 'Failure', message, code: status, ...extra });
  return toAnswerError({ status, body, retryAfterMs: null }, { target });
}

const forbidden = (text: string) => answer(403, `pods "s1" is forbidden: ${text}`, { reason: 'Forbidden' });

describe('a 403', () => {
  const cases: [string, string, object][] = [
    [
      'a missing right',
      'User "system:serviceaccount:a:b" cannot create resource "pods" in API group "" in the namespace "sandboxes"',
      { kind: 'forbidden', user: 'system:serviceaccount:a:b', verb: 'create', resource: 'pods' },
    ],
    [
      'a missing right on a subresource',
      'User "u" cannot get resource "pods/log" in API group "" in the namespace "sandboxes": RBAC: role.rbac "x" not found',
      { kind: 'forbidden', user: 'u', verb: 'get', resource: 'pods/log' },
    ],
    [
      'a quota that is used up',
      'exceeded quota: q, requested: limits.memory=2Gi,pods=1, used: limits.memory=15Gi,pods=3, limited: limits.memory=16Gi,pods=9',
      {
        kind: 'quota_exceeded',
        quota: 'q',
        requested: { 'limits.memory': '2Gi', pods: '1' },
        used: { 'limits.memory': '15Gi', pods: '3' },
        limited: { 'limits.memory': '16Gi', pods: '9' },
      },
    ],
    [
      'a quota that demands a value',
      'failed quota: q: must specify limits.cpu for: host; limits.memory for: host,workspace-prep',
      {
        kind: 'quota_unspecified',
        quota: 'q',
        fields: ['limits.cpu', 'limits.memory'],
        containers: ['host', 'workspace-prep'],
      },
    ],
    [
      'a quota that demands a value, in the words of older clusters',
      'failed quota: q: must specify limits.cpu,limits.memory',
      { kind: 'quota_unspecified', quota: 'q', fields: ['limits.cpu', 'limits.memory'], containers: [] },
    ],
    [
      'a LimitRange',
      'minimum memory usage per Container is 256Mi, but request is 64Mi',
      {
        kind: 'limit_range',
        violations: ['minimum memory usage per Container is 256Mi, but request is 64Mi'],
      },
    ],
    [
      'a LimitRange with several objections',
      '[maximum cpu usage per Pod is 1, but limit is 2, cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000]',
      {
        kind: 'limit_range',
        violations: [
          'maximum cpu usage per Pod is 1, but limit is 2',
          'cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000',
        ],
      },
    ],
    [
      'Pod Security',
      'violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (containers "a", "b" must set x), seccompProfile (pod or containers "install-oneagent" must set y)',
      { kind: 'pod_security', policy: 'restricted:latest', containers: ['a', 'b', 'install-oneagent'] },
    ],
    [
      'a terminating namespace',
      'unable to create new content in namespace sandboxes because it is being terminated',
      { kind: 'namespace_terminating', namespace: 'sandboxes' },
    ],
    [
      'a ServiceAccount that is missing',
      'error looking up service account sandboxes/runner: serviceaccount "runner" not found',
      { kind: 'service_account_not_found', serviceAccount: 'runner' },
    ],
    [
      'a RuntimeClass that is missing',
      'pod rejected: RuntimeClass "kata" not found',
      { kind: 'runtime_class_not_found', runtimeClass: 'kata' },
    ],
    [
      'other admission',
      'no PriorityClass with name high was found',
      { kind: 'admission_denied', webhook: null, text: 'no PriorityClass with name high was found' },
    ],
  ];

  it.each(cases)('is told apart: %s', (_what, text, fault) => {
    expect(forbidden(text).fault).toMatchObject(fault);
    expect(forbidden(text).transient).toBe(false);
  });

  it('is not mistaken for a quota because a webhook quotes one', () => {
    const text =
      'admission webhook "policy.svc" denied the request: exceeded quota: q, requested: a=1, used: a=1, limited: a=1';
    expect(forbidden(text).fault).toMatchObject({ kind: 'admission_denied', webhook: 'policy.svc' });
  });

  it('without any explanation is a missing right', () => {
    const error = toAnswerError({ status: 403, body: 'Forbidden', retryAfterMs: null }, { target });
    expect(error.fault).toEqual({ kind: 'forbidden', user: null, verb: 'create', resource: 'pods' });
  });

  it('of a quota that was not counted yet is transient', () => {
    expect(forbidden('status unknown for quota: q, resources: pods')).toMatchObject({ transient: true });
  });

  it('of an API server that has just started is transient', () => {
    expect(forbidden('not yet ready to handle request')).toMatchObject({ transient: true });
  });
});

describe('other answers', () => {
  const cases: [string, [number, string, object], object][] = [
    [
      'a webhook that is down',
      [500, 'Internal error occurred: failed calling webhook "x.svc": connection refused', {}],
      { transient: true, fault: { kind: 'webhook_failed', webhook: 'x.svc' } },
    ],
    [
      'a webhook that refuses with 500',
      [500, 'admission webhook "x.svc" denied the request: no', {}],
      { transient: false, fault: { kind: 'admission_denied' } },
    ],
    ['etcd', [500, 'etcdserver: request timed out', {}], { transient: true, fault: { kind: 'unavailable' } }],
    ['a gateway', [502, '', {}], { transient: true, fault: { kind: 'unavailable' } }],
    [
      'too many requests',
      [429, 'slow down', { details: { retryAfterSeconds: 3 } }],
      { transient: true, retryAfterMs: 3_000, fault: { kind: 'throttled' } },
    ],
    [
      'a quota that changed meanwhile',
      [
        409,
        'Operation cannot be fulfilled on resourcequotas "q": the object has been modified',
        { reason: 'Conflict' },
      ],
      { transient: true, fault: { kind: 'conflict' } },
    ],
    [
      'a uid that is another',
      [409, 'Operation cannot be fulfilled on pods "s1": Precondition failed', { reason: 'Conflict' }],
      { transient: false, fault: { kind: 'conflict' } },
    ],
    [
      'a name that is taken',
      [409, 'pods "s1" already exists', { reason: 'AlreadyExists' }],
      { fault: { kind: 'already_exists', beingDeleted: false } },
    ],
    [
      'a name that is being freed',
      [409, 'object is being deleted: pods "s1" already exists', { reason: 'AlreadyExists' }],
      { fault: { kind: 'already_exists', beingDeleted: true } },
    ],
    [
      'a namespace that is missing',
      [404, 'namespaces "sandboxes" not found', { details: { name: 'sandboxes', kind: 'namespaces' } }],
      { code: 'namespace_not_found' },
    ],
    ['an object that is missing', [404, 'pods "s1" not found', {}], { fault: { kind: 'not_found' } }],
    [
      'invalid fields',
      [422, 'Pod "s1" is invalid', { details: { causes: [{ field: 'spec.a' }, { field: 'spec.a' }, {}] } }],
      { transient: false, fault: { kind: 'invalid', fields: ['spec.a'] } },
    ],
    ['an expired version', [410, 'too old resource version', {}], { fault: { kind: 'expired' } }],
    ['credentials', [401, 'Unauthorized', {}], { transient: false, code: 'cluster_unauthorized' }],
    ['the unforeseen', [418, 'teapot', {}], { transient: false, fault: { kind: 'rejected' } }],
  ];

  it.each(cases)('are told apart: %s', (_what, [status, message, extra], expected) => {
    expect(answer(status, message, extra)).toMatchObject({ status, ...expected });
  });

  it("that come from a proxy are none of the cluster's", () => {
    const page = '<html><body>Not here</body></html>';
    expect(toAnswerError({ status: 404, body: page, retryAfterMs: null }, { target })).toMatchObject({
      code: 'cluster_answer',
    });
  });

  it('are always one error with a message in one line, whatever the body is', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 300, max: 599 }),
        fc.string({ unit: 'binary', maxLength: 3_000 }),
        (status, body) => {
          const error = toAnswerError({ status, body, retryAfterMs: null }, { target });
          expect(isClusterError(error)).toBe(true);
          expect(error.message).not.toMatch(/[\u0000-\u001f\u007f]/);
          expect(error.message.length).toBeLessThan(1_200);
        },
      ),
    );
  });

  it('never carry a credential in the message or the details', () => {
    const token = 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEyMyJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';
    const body = `Authorization: Bearer abc.def-ghi sent with ${token} for launch-token-1`;
    const context = { target, secrets: ['launch-token-1'] };
    const errors = [
      toAnswerError({ status: 500, body, retryAfterMs: null }, context),
      answer(403, `pods "s1" is forbidden: admission webhook "w" denied the request: ${token}`),
      toNetworkError(new Error(body), context),
      toMalformedError(new Error(body), context),
    ];
    for (const error of errors) {
      const text = `${error.message} ${JSON.stringify(error.details)}`;
      expect(text).not.toMatch(/abc\.def-ghi|eyJ|launch-token-1/);
      expect(text).toContain('[redacted]');
    }
  });
});

describe('no answer', () => {
  const withCode = (code: string) => Object.assign(new Error('it broke'), { code });

  it.each(['ECONNRESET', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE'])(
    'is transient: %s',
    (code) => {
      expect(toNetworkError(withCode(code), { target })).toMatchObject({
        code: 'cluster_unreachable',
        transient: true,
        status: null,
        fault: { kind: 'unreachable', systemCode: code },
      });
    },
  );

  it.each([
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ])('is definite when the certificate does not verify: %s', (code) => {
    expect(toNetworkError(withCode(code), { target })).toMatchObject({
      code: 'cluster_certificate',
      transient: false,
    });
  });

  it('of several addresses takes the code of the first', () => {
    const error = new AggregateError([withCode('ECONNREFUSED'), withCode('ENETUNREACH')]);
    expect(toNetworkError(error, { target }).fault).toMatchObject({ systemCode: 'ECONNREFUSED' });
  });

  it('survives causes that contain themselves', () => {
    const circular: Record<string, unknown> = { size: 1n };
    circular['self'] = circular;
    const error = toNetworkError(Object.assign(new Error('x'), { request: circular }), { target });
    expect(() => JSON.stringify(error.details)).not.toThrow();
  });

  it('in time names the deadline', () => {
    expect(toDeadlineError(10_000, { target })).toMatchObject({
      message: 'cannot create pods "s1" in namespace "sandboxes": no answer within 10 s',
      transient: true,
    });
  });
});
