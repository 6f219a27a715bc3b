// What does the history say of a transition that has ended?
import type { SwarmGroupStatus } from '../../api/validate.ts';
import { slowestIn } from './times.ts';
import type { Transition } from './transition.ts';

export type HistoryEntry = NonNullable<SwarmGroupStatus['history']>[number];

const MOST_HISTORY = 20;

export const withEntry = (
  history: readonly HistoryEntry[],
  transition: Transition,
  outcome: HistoryEntry['outcome'],
): readonly HistoryEntry[] => [entryOf(transition, outcome), ...history].slice(0, MOST_HISTORY);

/** A size that was reached late was reached. */
export const withLateEntry = (
  [first, ...others]: readonly HistoryEntry[],
  transition: Transition,
): readonly HistoryEntry[] => {
  const isOfIt = first?.to === transition.to && first.requestTime === transition.requestTime;
  const rest = first === undefined || isOfIt ? others : [first, ...others];
  return withEntry(rest, transition, 'Completed');
};

function entryOf(
  { from, to, reason, requestTime, attempt, times }: Transition,
  outcome: HistoryEntry['outcome'],
): HistoryEntry {
  const { totalMilliseconds, patchMilliseconds } = times ?? {};
  const slowest = times && slowestIn(times);
  return {
    from,
    to,
    outcome,
    reason,
    requestTime,
    ...(attempt !== undefined && { attempt }),
    ...(outcome === 'Completed' && totalMilliseconds !== undefined && { totalMilliseconds }),
    ...(patchMilliseconds !== undefined && { patchMilliseconds }),
    ...(outcome === 'Completed' && slowest !== undefined && { slowest }),
  };
}
