// Does a stream fail? It does if it ended by itself three times within five minutes, or cannot be
// started at all; after a minute of running it is well again.
const FAILING_ENDS = 3;
const ENDS_COUNT_FOR_MS = 5 * 60_000;
const WELL_AFTER_MS = 60_000;

/** The failures since the stream was last well. */
export type Trouble = {
  readonly since: number;
  /** The number of restarts. */
  readonly restarts: number;
  readonly isFailing: boolean;
  /** How the stream last ended, or why it cannot be started. */
  readonly message: string;
};

export type Health = {
  /**
   * Times at which the stream ended by itself: only ends that can still count, the oldest first.
   */
  readonly ends: readonly number[];
  readonly trouble?: Trouble;
};

export const unharmed: Health = { ends: [] };

/** No event marks the minute: each answer computes it from times. */
export const isWell = ({ trouble }: Health, ranMs: number): boolean =>
  trouble === undefined || ranMs >= WELL_AFTER_MS;

export function afterEnd(health: Health, message: string, now: number, ranMs: number): Health {
  const ends = [...health.ends, now].slice(-FAILING_ENDS);
  const [first = now] = ends;
  const isOften = ends.length === FAILING_ENDS && now - first <= ENDS_COUNT_FOR_MS;
  const before = isWell(health, ranMs) ? undefined : health.trouble;
  const isFailing = isOften || before?.isFailing === true;
  return { ends, trouble: { since: now, restarts: 0, ...before, isFailing, message } };
}

export const afterFailedStart = (
  { ends, trouble }: Health,
  message: string,
  now: number,
): Health => ({
  ends,
  trouble: { since: now, restarts: 0, ...trouble, isFailing: true, message },
});

export const startedAgain = ({ ends, trouble }: Health): Health => ({
  ends,
  ...(trouble && { trouble: { ...trouble, restarts: trouble.restarts + 1 } }),
});
