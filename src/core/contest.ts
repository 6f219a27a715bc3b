// Does another writer undo changes of the operator again and again? The operator then reports it,
// and stops if it can.

/** This number of changes within this time is a contest. */
const MOST_CHANGES = 3;
const WITHIN_MS = 10 * 60_000;

/** The times of the changes that still count. */
export const recentChanges = (times: readonly number[], now: number): readonly number[] =>
  times.filter((at) => now - at < WITHIN_MS);

/** `recent` contains the times of changes that still count. */
export const isContested = (recent: readonly number[]): boolean => recent.length >= MOST_CHANGES;

/** The time until the oldest change no longer counts; undefined: there is no contest. */
export const contestEndsInMs = (recent: readonly number[], now: number): number | undefined =>
  isContested(recent) ? Math.max(0, Math.min(...recent) + WITHIN_MS - now) : undefined;
