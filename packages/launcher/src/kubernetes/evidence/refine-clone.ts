/** A clone that failed says why in its log only. */
import { diagnoseGit } from '@omnigent/protocol';
import type { Failure } from '../status/failure.ts';

/** git's own sentence: the last line that it calls an error. */
function findSentence(log: string): string | undefined {
  return log.split('\n').findLast((line) => /^(fatal|error|ERROR): /.test(line));
}

/** The failure with the code and the sentence that git's text gives; any other failure as it is. */
export function refineCloneFailure(failure: Failure, log: string | null): Failure {
  if (failure.code !== 'clone_failed' || log === null) return failure;
  const sentence = findSentence(log);
  const message = sentence === undefined ? failure.message : `${failure.message}: ${sentence}`;
  return { ...failure, code: diagnoseGit(log, { isOutOfMemory: false }), message };
}
