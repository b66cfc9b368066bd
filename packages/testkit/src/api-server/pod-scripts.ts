/** Lives of Pods, as a kubelet reports them; each is a {@link PodScript}. */
import { toIsoTime } from '@omnigent/protocol';
import { isRecord, readField } from './api-object.ts';
import type { PodControl, PodScript } from './kubelet.ts';

type Status = Readonly<Record<string, unknown>>;

const NODE = 'fake-node';

function listContainers({ pod }: PodControl, field: 'containers' | 'initContainers'): string[] {
  const containers = readField(pod, ['spec', field]);
  return Array.isArray(containers)
    ? containers.flatMap((container) => (isRecord(container) ? [String(container['name'])] : []))
    : [];
}

/** Statuses of the containers of a field; one state for all, or by name. */
export function buildContainerStatuses(
  names: readonly string[],
  toState: (name: string) => Status,
): Status[] {
  return names.map((name) => {
    const state = toState(name);
    const isRunning = 'running' in state;
    return { name, state, ready: isRunning, started: isRunning, restartCount: 0, image: 'fake', imageID: '' };
  });
}

const waiting = (reason: string, message?: string): Status => ({
  waiting: { reason, ...(message === undefined ? {} : { message }) },
});

const terminated = (exitCode: number, reason: string): Status => ({ terminated: { exitCode, reason } });

function running({ clock }: PodControl): Status {
  return { running: { startedAt: toIsoTime(clock.now()) } };
}

/** Schedules the Pod; its containers wait. */
export function schedulePod(control: PodControl): void {
  control.bind(NODE);
  control.setStatus({
    phase: 'Pending',
    conditions: [
      { type: 'PodScheduled', status: 'True', lastTransitionTime: toIsoTime(control.clock.now()) },
    ],
    startTime: toIsoTime(control.clock.now()),
    initContainerStatuses: buildContainerStatuses(listContainers(control, 'initContainers'), () =>
      waiting('PodInitializing'),
    ),
    containerStatuses: buildContainerStatuses(listContainers(control, 'containers'), () =>
      waiting(listContainers(control, 'initContainers').length > 0 ? 'PodInitializing' : 'ContainerCreating'),
    ),
  });
  control.emitEvent({ reason: 'Scheduled', message: `Successfully assigned ${control.name} to ${NODE}` });
}

/** Runs and ends the init containers. */
async function runInitContainers(control: PodControl, stepMs: number): Promise<void> {
  const names = listContainers(control, 'initContainers');
  if (names.length === 0) return;
  control.setStatus({ initContainerStatuses: buildContainerStatuses(names, () => running(control)) });
  await control.sleep(stepMs);
  control.setStatus({
    initContainerStatuses: buildContainerStatuses(names, () => terminated(0, 'Completed')),
  });
}

export interface ScriptTimes {
  /** Between one state and the next, in milliseconds. */
  readonly stepMs?: number;
}

/** Scheduled, prepared, and the containers run for ever. */
export function hostRuns({ stepMs = 0 }: ScriptTimes = {}): PodScript {
  return async (control) => {
    await control.sleep(stepMs);
    schedulePod(control);
    await control.sleep(stepMs);
    await runInitContainers(control, stepMs);
    const names = listContainers(control, 'containers');
    control.setStatus({
      phase: 'Running',
      podIP: '10.0.0.9',
      containerStatuses: buildContainerStatuses(names, () => running(control)),
    });
    for (const name of names) if (!control.signal.aborted) control.setLog(name, `${name} started\n`);
  };
}

export interface HostExit extends ScriptTimes {
  readonly exitCode: number;
  readonly reason?: string;
  readonly log?: string;
}

/** The container `host` runs and ends. */
export function hostExits({ exitCode, reason, log = '', stepMs = 0 }: HostExit): PodScript {
  return async (control) => {
    await hostRuns({ stepMs })(control);
    await control.sleep(stepMs);
    const names = listContainers(control, 'containers');
    control.setLog('host', log);
    control.setStatus({
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      containerStatuses: buildContainerStatuses(names, () =>
        terminated(exitCode, reason ?? (exitCode === 0 ? 'Completed' : 'Error')),
      ),
    });
  };
}

export interface StuckContainer extends ScriptTimes {
  readonly container?: string;
  readonly reason: string;
  readonly message: string;
}

/** A container that waits for ever, such as for its image. */
export function containerWaits({
  container = 'host',
  reason,
  message,
  stepMs = 0,
}: StuckContainer): PodScript {
  return async (control) => {
    await control.sleep(stepMs);
    schedulePod(control);
    await control.sleep(stepMs);
    const toState = (name: string) =>
      name === container ? waiting(reason, message) : waiting('PodInitializing');
    control.setStatus({
      initContainerStatuses: buildContainerStatuses(listContainers(control, 'initContainers'), toState),
      containerStatuses: buildContainerStatuses(listContainers(control, 'containers'), toState),
    });
    control.emitEvent({ type: 'Warning', reason: 'Failed', message });
  };
}

/** No node ever takes the Pod. */
export function neverScheduled(message = '0/1 nodes are available: 1 Insufficient cpu.'): PodScript {
  return (control) => {
    control.setStatus({
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    });
    control.emitEvent({ type: 'Warning', reason: 'FailedScheduling', message });
  };
}
