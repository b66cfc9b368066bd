/** A container that has ended though it should run, or failed though it should have ended well. */
import type { ErrorCode } from '@omnigent/protocol';
import type { ContainerStatus, Pod, TerminatedState } from '../api/objects/pod.ts';
import { cleanText } from './clean-text.ts';
import { WORKSPACE_CONTAINER } from '../manifests/container-names.ts';
import { buildFailure } from './failure.ts';
import type { Failure } from './failure.ts';
import { findMemoryLimit } from './find-containers.ts';

/** Reasons of a container whose program never ran. */
const START_REASONS: ReadonlySet<string> = new Set([
  'StartError',
  'ContainerCannotRun',
  'ContainerStatusUnknown',
]);

function renderEnd({ exitCode, signal, reason }: TerminatedState): string {
  const how = signal ? `was ended by signal ${signal}` : `exited with status ${exitCode}`;
  const isTelling = reason !== undefined && reason !== 'Error' && reason !== 'Completed';
  return isTelling ? `${how} (${reason})` : how;
}

function renderMemory(pod: Pod, name: string): string {
  const limit = findMemoryLimit(pod, name);
  return limit === null ? 'ran out of memory' : `ran out of memory (limit ${limit})`;
}

interface Terms {
  readonly code: ErrorCode;
  readonly outOfMemory: ErrorCode;
  /** `the host`, `the clone` */
  readonly who: string;
}

function describe(pod: Pod, { name, state }: ContainerStatus, terms: Terms): Failure | null {
  const { terminated } = state;
  if (!terminated) return null;
  const facts = { container: name };
  if (terminated.reason === 'OOMKilled')
    return buildFailure(terms.outOfMemory, `${terms.who} ${renderMemory(pod, name)}`, facts);
  const text = terminated.message ? `: ${cleanText(terminated.message)}` : '';
  if (START_REASONS.has(terminated.reason ?? ''))
    return buildFailure('container_start_failed', `container ${name} could not be started${text}`, facts);
  return buildFailure(terms.code, `${terms.who} ${renderEnd(terminated)}${text}`, facts);
}

/** The host has ended, with whatever status: it never came online, or it is gone. */
export function diagnoseHostEnd(pod: Pod, status: ContainerStatus, when: 'before' | 'after'): Failure | null {
  const failure = describe(pod, status, {
    code: when === 'before' ? 'host_exited' : 'host_lost',
    outOfMemory: 'host_out_of_memory',
    who: 'the host',
  });
  if (failure?.code !== 'host_exited') return failure;
  return { ...failure, message: `${failure.message} before it was connected` };
}

/** An init container that failed; null while it runs and when it ended well. */
export function diagnoseInitEnd(pod: Pod, status: ContainerStatus): Failure | null {
  const { terminated } = status.state;
  if (!terminated || terminated.exitCode === 0) return null;
  if (status.name === WORKSPACE_CONTAINER)
    return describe(pod, status, {
      code: 'clone_failed',
      outOfMemory: 'clone_out_of_memory',
      who: 'the clone',
    });
  const who = `init container ${status.name}`;
  return describe(pod, status, { code: 'init_container_failed', outOfMemory: 'init_container_failed', who });
}
