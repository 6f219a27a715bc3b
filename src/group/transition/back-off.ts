// When is a size that failed tried again? After a while that doubles with each failure.
import type { SwarmGroupSpec, SwarmGroupStatus } from '../../api/validate.ts';

type HistoryEntry = NonNullable<SwarmGroupStatus['history']>[number];

const LONGEST_BACK_OFF_MS = 3_600_000;

/** Doubled with each failure of this size, up to an hour. */
export function backOffMs(
  { transition: { retryAfterSeconds } }: SwarmGroupSpec,
  history: readonly HistoryEntry[],
  size: number,
  attempt: string,
): number {
  const failures = failuresOf(history, size, attempt).length;
  if (failures === 0) return 0;
  const first = retryAfterSeconds * 1000;
  return Math.max(first, Math.min(first * 2 ** (failures - 1), LONGEST_BACK_OFF_MS));
}

/** Of just this attempt: since the size was last reached, and since anything was edited. */
function failuresOf(
  history: readonly HistoryEntry[],
  size: number,
  attempt: string,
): readonly HistoryEntry[] {
  const tried = history.filter(({ to, outcome }) => to === size && outcome !== 'Superseded');
  const ended = tried.findIndex((it) => it.outcome === 'Completed' || it.attempt !== attempt);
  return ended < 0 ? tried : tried.slice(0, ended);
}
