// Which changes does status list? The newest first, as many as it may hold.
import type { SwarmPoolStatus } from '../../api/validate.ts';
import { timeText } from '../../core/text.ts';
import type { PublishedChange } from '../world.ts';

const HISTORY = 20;

export type History = NonNullable<SwarmPoolStatus['history']>;

/** Read from the ConfigMaps, so that no crash loses one. */
export function historyWith(before: History, changes: readonly PublishedChange[]): History {
  const fresh = changesAfter(before, changes).map(({ version, moves, reason, time }) => ({
    version,
    moves,
    reason,
    publishTime: time,
  }));
  return fresh.length === 0 ? before : [...fresh, ...before].slice(0, HISTORY);
}

/** Changes that the history in status lacks, as many as it can take. */
export const unreportedChanges = (
  status: SwarmPoolStatus | undefined,
  changes: readonly PublishedChange[],
): readonly PublishedChange[] => changesAfter(status?.history ?? [], changes).slice(0, HISTORY - 1);

const changesAfter = (
  history: History,
  changes: readonly PublishedChange[],
): readonly PublishedChange[] =>
  changes.filter(({ version }) => version > (history[0]?.version ?? 0));

export function withConvergence(
  history: History,
  version: number,
  isConverged: boolean,
  now: number,
): History {
  const [newest, ...rest] = history;
  if (
    newest === undefined ||
    !isConverged ||
    newest.version !== version ||
    newest.convergenceTime !== undefined
  )
    return history;
  return [{ ...newest, convergenceTime: timeText(now) }, ...rest];
}
