/** Builds a diagnosis with the fields that a provider knows; the rest is empty. */
import { ERRORS } from '@omnigent/protocol';
import type { Diagnosis, ErrorCode } from '@omnigent/protocol';

export type DiagnosisFacts = Pick<Diagnosis, 'message' | 'stage'> & {
  readonly code: ErrorCode;
} & Partial<Diagnosis>;

/** A whole diagnosis out of what is known; the advice is the registry's unless a better one is given. */
export function buildDiagnosis(facts: DiagnosisFacts): Diagnosis {
  return {
    advice: ERRORS[facts.code].advice,
    stages: [],
    provider_id: null,
    containers: [],
    events: [],
    log: null,
    notes: [],
    relaunchable: false,
    ...facts,
  };
}
