// Does another writer change what the operator has set, again and again? A user has to know, and
// the operator stops when it can.

/** So many changes within this time are a contest. */
const MOST_CHANGES = 3;
const WITHIN_MS = 10 * 60_000;

/** The times of changes that still count. */
export const recentChanges = (times: readonly number[], now: number): readonly number[] =>
  times.filter((at) => now - at < WITHIN_MS);

/** `recent`: of changes that still count. */
export const isContested = (recent: readonly number[]): boolean => recent.length >= MOST_CHANGES;

/** In how long the first of them counts no longer; undefined: nothing is contested. */
export const contestEndsInMs = (recent: readonly number[], now: number): number | undefined =>
  isContested(recent) ? Math.max(0, Math.min(...recent) + WITHIN_MS - now) : undefined;
