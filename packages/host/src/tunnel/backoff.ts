/** How long to wait before the next dial: full jitter, so that a thousand hosts do not come back in one wave. */
const FIRST_MS = 250;
const MAX_MS = 10_000;
/** A connection that ends sooner was not worth much, whatever was said in it. */
const SHORT_MS = 1_000;
/** So many of those in a row are a bad network; more are a server that accepts and closes. */
const SHORT_IN_ROW = 20;

/**
 * @param failures how many dials have failed since the last healthy connection; 0 dials at once.
 * @param random a number from 0 up to 1.
 */
export function toDelayMs(failures: number, random: number): number {
  if (failures === 0) return 0;
  return random * Math.min(MAX_MS, FIRST_MS * 2 ** (failures - 1));
}

/** What the next delay depends on. */
export interface Attempts {
  /** Dials that have failed since the last healthy connection. */
  readonly failures: number;
  /** Healthy connections in a row that were short. */
  readonly shortInRow: number;
}

/** How a connection ended. */
export interface EndedConnection {
  /** Whether the server has spoken HTTP/2. */
  readonly wasHealthy: boolean;
  readonly durationMs: number;
  /** Whether the server has sent the host away, as it does with all of them at once. */
  readonly wasSentAway: boolean;
}

/** After a healthy connection the first try is at once, unless they are all cut at once; hosts that were sent away spread. */
export function countConnection(attempts: Attempts, ended: EndedConnection): Attempts {
  if (!ended.wasHealthy) return { ...attempts, failures: attempts.failures + 1 };
  const shortInRow = ended.durationMs < SHORT_MS ? attempts.shortInRow + 1 : 0;
  const failures = Math.max(0, shortInRow - SHORT_IN_ROW);
  return { failures: ended.wasSentAway ? Math.max(1, failures) : failures, shortInRow };
}
