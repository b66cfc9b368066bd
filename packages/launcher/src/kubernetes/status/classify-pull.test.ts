import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyPull, isExplained } from './classify-pull.ts';

describe('the message of a failed pull', () => {
  it.each([
    [
      'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/x:1": failed to resolve reference "docker.io/library/x:1": docker.io/library/x:1: not found',
      'not_found',
    ],
    ['manifest unknown: manifest tagged by "missing" is not found', 'not_found'],
    ['name unknown: repository name not known to registry', 'not_found'],
    ['no matching manifest for linux/arm64 in the manifest list entries', 'not_found'],
    [
      'failed to authorize: failed to fetch anonymous token: unexpected status: 401 Unauthorized',
      'unauthorized',
    ],
    [
      'pull access denied, repository does not exist or may require authorization: server message: insufficient_scope',
      'unauthorized',
    ],
    [
      'unexpected status from HEAD request to https://reg.example/v2/a/manifests/1: 403 Forbidden',
      'unauthorized',
    ],
    ['failed to fetch anonymous token: unexpected status: 429 Too Many Requests', 'transient'],
    ['toomanyrequests: You have reached your pull rate limit', 'transient'],
    ['pull QPS exceeded', 'transient'],
    [
      'unexpected status from HEAD request to https://reg.example/v2/a/manifests/1: 502 Bad Gateway',
      'transient',
    ],
    ['dial tcp: lookup reg.example on 10.0.0.10:53: server misbehaving', 'transient'],
    ['dial tcp 10.0.0.1:443: i/o timeout', 'transient'],
    ['dial tcp: lookup images.invalid on 10.255.255.53:53: no such host', 'unreachable'],
    ['dial tcp 127.0.0.1:5999: connect: connection refused', 'unreachable'],
    ['tls: failed to verify certificate: x509: certificate signed by unknown authority', 'unreachable'],
    ['http: server gave HTTP response to HTTPS client', 'unreachable'],
    ['couldn\'t parse image name "Reg.Example/App::V1": invalid reference format', 'name_invalid'],
    ['something nobody has seen', 'unknown'],
  ])('%s is %s', (message, fault) => {
    expect(classifyPull(message)).toBe(fault);
  });

  it('is not read out of the name of the image', () => {
    const image = 'reg.example/not-found/denied-timeout:500';
    const message = `failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`;
    expect(classifyPull(message, image)).toBe('not_found');
    expect(classifyPull(`failed to pull image "${image}": pull QPS exceeded`, image)).toBe('transient');
    expect(classifyPull(`Back-off pulling image "${image}"`, image)).toBe('unknown');
  });

  it('is not read out of a reference without quotes either', () => {
    expect(classifyPull('failed to resolve: docker.io/team/denied-503:1: not found')).toBe('not_found');
  });

  it('never throws and never takes a quoted text for the cause', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(classifyPull(`pull of "${text.replaceAll('"', '')}" ended`)).toMatch(
          /^(unknown|name_invalid)$/,
        );
      }),
    );
  });

  it('is explained unless it says only that the kubelet waits', () => {
    expect(isExplained('Back-off pulling image "reg.example/host:1"')).toBe(false);
    expect(isExplained('')).toBe(false);
    expect(isExplained('Back-off pulling image "reg.example/host:1": ErrImagePull: not found')).toBe(true);
  });
});
