/** The launch of one sandbox, step by step; only sequences. The record is written before each step that creates something. */
import { LaunchError, buildDiagnosis } from '@omnigent/launcher';
import type { LaunchRequest, SandboxLauncher } from '@omnigent/launcher';
import {
  SandboxError,
  isSandboxError,
  parseRepository,
  toCanceledError,
  toErrorMessage,
} from '@omnigent/protocol';
import type { Clock, Diagnosis, PrepareWorkspace, Stage } from '@omnigent/protocol';
import type { SandboxRecord } from '../store/sandbox-record.ts';
import type { SandboxStore } from '../store/sandbox-store.ts';
import type { ConnectionRegistry } from '../tunnel/connection-registry.ts';
import type { HostLink } from '../tunnel/host-link.ts';
import type { Journal } from './journal.ts';
import { prepareWorkspace } from './prepare-workspace.ts';

export interface LaunchContext {
  readonly launcher: SandboxLauncher;
  readonly sandboxes: SandboxStore;
  readonly connections: ConnectionRegistry;
  readonly journal: Journal;
  readonly clock: Clock;
  /** URL that a sandbox dials. */
  readonly serverUrl: string;
  readonly onlineTimeoutMs: number;
  readonly report: (message: string, facts: Readonly<Record<string, unknown>>) => void;
}

export interface LaunchOptions {
  readonly token: string;
  readonly signal: AbortSignal;
}

/** How often a launch that the node rejected is tried again under a fresh name. */
const MAX_RELAUNCHES = 2;

/**
 * Brings a stored record to ready.
 *
 * @throws LaunchError with the diagnosis; SandboxError `canceled` when the signal aborts. What was created stays for the caller to remove.
 */
export async function launchSandbox(
  record: SandboxRecord,
  context: LaunchContext,
  options: LaunchOptions,
): Promise<void> {
  for (let relaunches = 0; ; relaunches += 1) {
    try {
      await startOnce(record, context, options);
      return await finishLaunch(record, context, options.signal);
    } catch (error) {
      const isWorthRetry =
        error instanceof LaunchError && error.diagnosis.relaunchable && relaunches < MAX_RELAUNCHES;
      if (!isWorthRetry || options.signal.aborted) throw noteRelaunches(error, relaunches);
      await context.journal.reportProgress(
        record.id,
        error.diagnosis.stage,
        `${error.message}; launching again under a fresh name`,
      );
    }
  }
}

/** The failure of the last of several launches says that there were others. */
function noteRelaunches(error: unknown, relaunches: number): unknown {
  if (relaunches === 0 || !(error instanceof LaunchError)) return error;
  const note = `launched ${relaunches + 1} times, each under a fresh name`;
  const notes = [...error.diagnosis.notes, note];
  return new LaunchError({ ...error.diagnosis, notes }, { cause: error });
}

async function startOnce(
  record: SandboxRecord,
  context: LaunchContext,
  options: LaunchOptions,
): Promise<void> {
  const { launcher, sandboxes, journal } = context;
  const { signal } = options;
  await journal.enterStage(record.id, 'provisioning');
  const providerId = await launcher.provision(record.document.hostName, { signal });
  await sandboxes.update(record.id, () => ({ providerId }));
  const stages = createStageQueue(record.id, context);
  const launch = toLaunchRequest(record, context.serverUrl, options.token);
  const over = new AbortController();
  const connected = whenConnected(record.hostId, context, AbortSignal.any([signal, over.signal]));
  const starting = launcher.startHost(providerId, launch, { signal, onStage: stages.enter, connected });
  const started = await settleStages(stages, starting).finally(() => over.abort());
  for (const warning of started.warnings)
    await journal.reportProgress(record.id, 'starting', `warning: ${warning}`);
  await sandboxes.update(record.id, () => ({ workspace: started.workspace, prepare: started.prepare }));
}

/** Resolves when the host has dialled back; never, when the signal aborts first. */
function whenConnected(hostId: string, { connections }: LaunchContext, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    connections.waitFor(hostId, signal).then(
      () => resolve(),
      () => undefined,
    );
  });
}

/** The second half, which also an interrupted launch goes on with: wait for the host, make the workspace, be ready. */
export async function finishLaunch(
  record: SandboxRecord,
  context: LaunchContext,
  signal: AbortSignal,
): Promise<void> {
  const { sandboxes, journal } = context;
  await journal.enterStage(record.id, 'connecting');
  const connection = await waitForHost(record, context, signal);
  const present = await sandboxes.get(record.id);
  const prepare = present?.document.prepare ?? null;
  const workspace =
    prepare === null || !isPreparing(prepare, present)
      ? present?.document.workspace
      : await makeWorkspace(record.id, { connection, prepare, context, signal });
  await journal.enterStage(record.id, 'ready', {
    workspace: workspace ?? null,
    provider_id: present?.document.providerId ?? null,
  });
  await journal.observe(
    record.id,
    [
      { type: 'HostConnected', status: 'True', reason: 'TunnelOpen' },
      { type: 'Ready', status: 'True', reason: 'Launched' },
    ],
    { prepare: null, workspace: workspace ?? null },
  );
}

/** A published host makes no workspace; without a repository there is none to make. */
function isPreparing({ repositories }: PrepareWorkspace, record: SandboxRecord | undefined): boolean {
  return repositories.length > 0 || record?.document.host.capabilities.includes('workspace') === true;
}

async function waitForHost(
  record: SandboxRecord,
  context: LaunchContext,
  signal: AbortSignal,
): Promise<HostLink> {
  const { launcher, connections, sandboxes, onlineTimeoutMs } = context;
  const providerId = (await sandboxes.get(record.id))?.document.providerId;
  if (providerId === null || providerId === undefined)
    throw new SandboxError('launch_interrupted', 'the launch has no provider id');
  const controller = new AbortController();
  const late = AbortSignal.timeout(onlineTimeoutMs);
  const both = AbortSignal.any([signal, controller.signal, late]);
  const died = launcher.watchHost(providerId, { hostId: record.hostId, signal: both }).then((diagnosis) => {
    throw new LaunchError(diagnosis);
  });
  // The loser of the race must not become an unhandled rejection.
  died.catch(() => undefined);
  try {
    return await Promise.race([connections.waitFor(record.hostId, both), died]);
  } catch (error) {
    if (signal.aborted) throw toCanceledError(signal, 'the launch');
    if (late.aborted && !(error instanceof LaunchError))
      throw toConnectTimeout(record, providerId, onlineTimeoutMs);
    throw error;
  } finally {
    controller.abort();
  }
}

async function makeWorkspace(
  id: string,
  options: {
    readonly connection: HostLink;
    readonly prepare: PrepareWorkspace;
    readonly context: LaunchContext;
    readonly signal: AbortSignal;
  },
): Promise<string> {
  const { connection, prepare, context, signal } = options;
  const { clock } = context;
  // What the launcher has cloned already raises no progress and no second stage.
  const stages = createStageQueue(id, context);
  const onProgress = (message: string) => stages.enter('cloning', message);
  return await settleStages(stages, prepareWorkspace(connection, prepare, { signal, onProgress, clock }));
}

/** The result of an operation once its stages are stored, also when it failed. */
async function settleStages<Result>(stages: StageQueue, operation: Promise<Result>): Promise<Result> {
  try {
    return await operation;
  } finally {
    await stages.settled();
  }
}

type StageQueue = ReturnType<typeof createStageQueue>;

/** Stages come by a callback; they are written one after the other. */
function createStageQueue(id: string, { journal, report }: LaunchContext) {
  let tail: Promise<void> = Promise.resolve();
  return {
    enter: (stage: Stage, message?: string) => {
      tail = tail
        .then(() => journal.enterStage(id, stage, message === undefined ? {} : { message }))
        .catch((error: unknown) => report('a stage could not be stored', { sandbox_id: id, error }));
    },
    settled: () => tail,
  };
}

/** What the provider needs, out of the record. */
export function toLaunchRequest(record: SandboxRecord, serverUrl: string, token: string): LaunchRequest {
  const { request, hostName, lifetimeSeconds } = record.document;
  return {
    sandboxId: record.id,
    hostId: record.hostId,
    hostName,
    token,
    serverUrl,
    repositories: request.repositories.map((text) => parseRepository(text, { allowPath: true })),
    owner: record.owner,
    env: request.env,
    lifetimeSeconds,
    ...(request.agent === undefined ? {} : { agent: request.agent }),
    ...(request.host_config === undefined ? {} : { hostConfig: request.host_config }),
  };
}

function toConnectTimeout(record: SandboxRecord, providerId: string, timeoutMs: number): LaunchError {
  return new LaunchError(
    buildDiagnosis({
      code: 'host_connect_timeout',
      message: `the host of ${providerId} runs but did not connect within ${Math.round(timeoutMs / 1000)} s`,
      stage: 'connecting',
      stages: [...record.document.stages],
      provider_id: providerId,
    }),
  );
}

/** The diagnosis of anything that ended a launch. */
export function toDiagnosis(error: unknown, record: SandboxRecord): Diagnosis {
  const { stages, providerId } = record.document;
  if (error instanceof LaunchError) return { ...error.diagnosis, stages: [...stages] };
  const stage = stages.at(-1)?.stage ?? 'provisioning';
  const known = isSandboxError(error) ? error : new SandboxError('launch_failed', toErrorMessage(error));
  const output = known.details['output'];
  return buildDiagnosis({
    code: known.code,
    message: known.message,
    stage,
    stages: [...stages],
    provider_id: providerId,
    log: typeof output === 'string' && output !== '' ? { container: 'git', text: output } : null,
  });
}
