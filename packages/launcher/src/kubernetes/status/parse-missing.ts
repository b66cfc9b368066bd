/** Names of objects that the kubelet or the scheduler did not find, out of its text. */
export type MissingObject = {
  readonly kind: 'secret' | 'config_map' | 'volume_claim';
  readonly name: string;
  /** The key that is missing in an object that exists; null when the object itself is missing. */
  readonly key: string | null;
};

const KINDS: Readonly<Record<string, MissingObject['kind']>> = {
  secret: 'secret',
  configmap: 'config_map',
  persistentvolumeclaim: 'volume_claim',
};
const MISSING = /\b(secret|configmap|persistentvolumeclaim)s? "([^"]+)" not found/i;
const MISSING_KEY = /couldn't find key (\S+) in (Secret|ConfigMap) (?:[^/\s]+\/)?(\S+)/i;
const MISSING_VOLUME_KEY = /references non-existent (secret|config) key: (\S+)/i;

function toKind(word: string): MissingObject['kind'] {
  return KINDS[word.toLowerCase()] ?? 'secret';
}

/**
 * The object that a message calls missing; null when it is about something else.
 *
 * @example parseMissing('secret "harness" not found') // { kind: 'secret', name: 'harness', key: null }
 */
export function parseMissing(message: string): MissingObject | null {
  const [, word, name] = MISSING.exec(message) ?? [];
  if (word !== undefined && name !== undefined) return { kind: toKind(word), name, key: null };
  const [, key, owner, ownerName] = MISSING_KEY.exec(message) ?? [];
  if (key !== undefined && owner !== undefined && ownerName !== undefined)
    return { kind: toKind(owner), name: ownerName, key };
  return null;
}

/** The key of a volume's Secret or ConfigMap that does not exist; its message does not name the object. */
export function parseMissingVolumeKey(
  message: string,
): { kind: 'secret' | 'config_map'; key: string } | null {
  const [, word, key] = MISSING_VOLUME_KEY.exec(message) ?? [];
  if (word === undefined || key === undefined) return null;
  return { kind: word.toLowerCase() === 'secret' ? 'secret' : 'config_map', key };
}
