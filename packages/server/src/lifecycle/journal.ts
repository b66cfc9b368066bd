/** Writes what happens to a sandbox: into its record and to everyone who follows its events, in order. */
import { toIsoTime } from '@omnigent/protocol';
import type { Clock, Diagnosis, Stage } from '@omnigent/protocol';
import type { RecordChange } from '../store/sandbox-store.ts';
import type { SandboxRecord } from '../store/sandbox-record.ts';
import type { Store } from '../store/store.ts';
import { setCondition } from './conditions.ts';
import type { ConditionFacts } from './conditions.ts';

/** What is told with a stage. */
export interface StageFacts {
  readonly message?: string;
  /** With `ready`. */
  readonly workspace?: string | null;
  readonly provider_id?: string | null;
}

export class Journal {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async enterStage(id: string, stage: Stage, facts: StageFacts = {}): Promise<void> {
    const { message, ...others } = facts;
    const at = toIsoTime(this.#clock.now());
    const isNew = { value: false };
    await this.#store.sandboxes.update(id, ({ document }) => {
      isNew.value = document.stages.at(-1)?.stage !== stage;
      return isNew.value ? { stages: [...document.stages, { stage, at }] } : undefined;
    });
    const text = message === undefined ? {} : { message };
    if (isNew.value) await this.#store.events.append(id, { type: 'stage', at, stage, ...text, ...others });
    else if (message !== undefined)
      await this.#store.events.append(id, { type: 'progress', at, stage, message });
  }

  async reportProgress(id: string, stage: Stage, message: string): Promise<void> {
    await this.#store.events.append(id, {
      type: 'progress',
      at: toIsoTime(this.#clock.now()),
      stage,
      message,
    });
  }

  /** Sets conditions together with other changes of the record, then announces those that changed. */
  async observe(
    id: string,
    facts: readonly ConditionFacts[],
    change: RecordChange = {},
  ): Promise<SandboxRecord | undefined> {
    const now = this.#clock.now();
    const before: SandboxRecord[] = [];
    const record = await this.#store.sandboxes.update(id, (present) => {
      before.splice(0, 1, present);
      const conditions = facts.reduce(
        (all, fact) => setCondition(all, fact, now),
        [...present.document.conditions],
      );
      return { ...change, conditions };
    });
    const known = before[0]?.document.conditions ?? [];
    for (const condition of record?.document.conditions ?? []) {
      const old = known.find(({ type }) => type === condition.type);
      const isChanged = old?.status !== condition.status || old.reason !== condition.reason;
      if (isChanged)
        await this.#store.events.append(id, { type: 'condition', at: toIsoTime(now), condition });
    }
    return record;
  }

  async fail(id: string, diagnosis: Diagnosis): Promise<void> {
    await this.observe(
      id,
      [
        { type: 'Ready', status: 'False', reason: 'LaunchFailed', message: diagnosis.message },
        { type: 'Finished', status: 'True', reason: 'LaunchFailed', message: diagnosis.message },
      ],
      { diagnosis, tokens: null },
    );
    await this.#store.events.append(id, { type: 'failed', at: toIsoTime(this.#clock.now()), diagnosis });
  }

  async announceDeleted(id: string): Promise<void> {
    await this.#store.events.append(id, { type: 'deleted', at: toIsoTime(this.#clock.now()) });
  }
}
