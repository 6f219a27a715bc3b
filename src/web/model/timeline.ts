// What has changed, when, and how long did it take to be true?
import type { PoolDetail } from '../../api/introspection.ts';
import { agoText, counted, durationText, reasonText } from './words.ts';

export type TimelineRow = {
  readonly version: number;
  readonly reason: string;
  readonly moves: string;
  readonly when: string;
  readonly took: string;
  /** Part of the longest of them, 0 to 1. */
  readonly share: number;
  readonly state: 'confirmed' | 'waiting' | 'overtaken';
};

type Change = PoolDetail['history'][number];

export function timelineOf(history: readonly Change[], now: number): readonly TimelineRow[] {
  const seconds = history.map((change, index) =>
    secondsOf(change, index === 0 ? now : Date.parse(history[index - 1]?.publishTime ?? '')),
  );
  const longest = Math.max(1, ...seconds);
  return history.map((change, index) =>
    rowOf(change, seconds[index] ?? 0, longest, index === 0, now),
  );
}

function secondsOf({ publishTime, convergenceTime }: Change, until: number): number {
  const end = convergenceTime === undefined ? until : Date.parse(convergenceTime);
  return Math.max(0, (end - Date.parse(publishTime)) / 1_000);
}

function rowOf(
  change: Change,
  seconds: number,
  longest: number,
  isNewest: boolean,
  now: number,
): TimelineRow {
  const state =
    change.convergenceTime !== undefined ? 'confirmed' : isNewest ? 'waiting' : 'overtaken';
  // Times of Kubernetes are in whole seconds.
  const length = seconds < 1 ? '< 1 s' : durationText(seconds);
  const took = {
    confirmed: length,
    waiting: `${length} so far`,
    overtaken: 'overtaken by the next',
  }[state];
  return {
    version: change.version,
    reason: reasonText(change.reason),
    moves: counted(change.moves, 'move'),
    when: agoText(change.publishTime, now),
    took,
    share: Math.max(0.02, seconds / longest),
    state,
  };
}
