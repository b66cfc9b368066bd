/** The stages of one launch: each is told once when it is entered, and again only with something new to say. */
import { toIsoTime } from '@omnigent/protocol';
import type { Clock, Stage, StageRecord } from '@omnigent/protocol';

export interface LaunchTrail {
  readonly stage: Stage;
  readonly records: readonly StageRecord[];
  enter(stage: Stage, message?: string | null): void;
}

/** A trail that begins with `provisioning`, which its caller has announced. */
export function createLaunchTrail(
  clock: Clock,
  onStage: (stage: Stage, message?: string) => void,
): LaunchTrail {
  const records: StageRecord[] = [{ stage: 'provisioning', at: toIsoTime(clock.now()) }];
  let stage: Stage = 'provisioning';
  let told: string | null = null;
  return {
    get stage() {
      return stage;
    },
    records,
    enter(next, message = null) {
      const isNew = !records.some((record) => record.stage === next);
      if (isNew) records.push({ stage: next, at: toIsoTime(clock.now()) });
      if (!isNew && (message === null || message === told)) return;
      stage = next;
      told = message;
      if (message === null) onStage(next);
      else onStage(next, message);
    },
  };
}
