/** The failure for an object that does not exist. */
import type { ErrorCode } from '@omnigent/protocol';
import { cleanText } from './clean-text.ts';
import { buildFailure } from './failure.ts';
import type { Doubt } from './failure.ts';
import { parseMissing, parseMissingVolumeKey } from './parse-missing.ts';
import type { MissingObject } from './parse-missing.ts';

/** Somebody may be creating it this very moment. */
const LATE_OBJECT_MS = 5_000;

const WORDS: Readonly<Record<MissingObject['kind'], readonly [string, ErrorCode]>> = {
  secret: ['Secret', 'secret_not_found'],
  config_map: ['ConfigMap', 'config_map_not_found'],
  volume_claim: ['PersistentVolumeClaim', 'volume_failed'],
};

/** A doubt when the text names something that does not exist; null otherwise. */
export function diagnoseMissing(text: string, who: string): Doubt | null {
  const missing = parseMissing(text);
  if (missing !== null) {
    const [word, code] = WORDS[missing.kind];
    const what =
      missing.key === null
        ? `the ${word} "${missing.name}" does not exist`
        : `the ${word} "${missing.name}" has no key "${missing.key}"`;
    return { failure: buildFailure(code, `${who} cannot start: ${what}`), graceMs: LATE_OBJECT_MS };
  }
  const volumeKey = parseMissingVolumeKey(text);
  if (volumeKey === null) return null;
  const [word, code] = WORDS[volumeKey.kind];
  const message = `${who} cannot start: a ${word} that is mounted has no key "${volumeKey.key}": ${cleanText(text)}`;
  return { failure: buildFailure(code, message), graceMs: LATE_OBJECT_MS };
}
