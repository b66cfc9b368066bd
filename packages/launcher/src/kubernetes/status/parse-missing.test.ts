import { describe, expect, it } from 'vitest';
import { parseMissing, parseMissingVolumeKey } from './parse-missing.ts';

describe('what does not exist', () => {
  it.each([
    ['secret "omnigent-s7-1a2b3c-token" not found', 'secret', 'omnigent-s7-1a2b3c-token', null],
    [
      'MountVolume.SetUp failed for volume "ca" : configmap "extra-roots" not found',
      'config_map',
      'extra-roots',
      null,
    ],
    [
      '0/1 nodes are available: persistentvolumeclaim "no-claim" not found. not found',
      'volume_claim',
      'no-claim',
      null,
    ],
    ["couldn't find key nokey in ConfigMap ns/kube-root-ca.crt", 'config_map', 'kube-root-ca.crt', 'nokey'],
    ["couldn't find key TOKEN in Secret ns/harness", 'secret', 'harness', 'TOKEN'],
  ])('is named by: %s', (message, kind, ...[name, key]) => {
    expect(parseMissing(message)).toEqual({ kind, name, key });
  });

  it('is nothing while an object is only not known to the kubelet yet', () => {
    expect(parseMissing('object "ns"/"omnigent-s9-1a2b3c-token" not registered')).toBeNull();
  });

  it('may be a key of a volume whose object is not named', () => {
    const text =
      'MountVolume.SetUp failed for volume "key" : references non-existent secret key: ssh-privatekey';
    expect(parseMissingVolumeKey(text)).toEqual({ kind: 'secret', key: 'ssh-privatekey' });
    expect(parseMissingVolumeKey('something else')).toBeNull();
  });
});
