/** Signals to the command: the first asks to stop, the second at once lets go. */
import { SIGNALS, EXIT } from '@omnigent/protocol';

export type Interrupt = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

const INTERRUPTS: readonly Interrupt[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export interface InterruptOptions {
  /** Called for the first one. */
  readonly onFirst: (interrupt: Interrupt) => void;
  /** Called for the next one. */
  readonly onSecond: (interrupt: Interrupt) => void;
}

/** Listens; returns the function that stops listening. */
export function listenForInterrupts({ onFirst, onSecond }: InterruptOptions): () => void {
  let count = 0;
  const listeners = INTERRUPTS.map((name) => {
    const listener = () => {
      count += 1;
      if (count === 1) onFirst(name);
      else onSecond(name);
    };
    process.on(name, listener);
    return { name, listener };
  });
  return () => {
    for (const { name, listener } of listeners) process.off(name, listener);
  };
}

/** 128 + n, as a shell reports a command that died of the signal. */
export function toInterruptStatus(interrupt: Interrupt): number {
  return EXIT.signalBase + SIGNALS[interrupt];
}
