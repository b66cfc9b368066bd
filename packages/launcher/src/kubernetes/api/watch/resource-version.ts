/** Resource versions are numbers in text that may exceed 2^53; comparable since Kubernetes promises so, and in practice always. */

const NUMBER = /^\d+$/;

/** Whether `one` is older than `other`; false when they cannot be compared, so that news are never held back. */
export function isOlderVersion(one: string, other: string): boolean {
  if (!NUMBER.test(one) || !NUMBER.test(other)) return false;
  return BigInt(one) < BigInt(other);
}
