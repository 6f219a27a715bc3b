// Which changes were there, when, and how long did each take until all workers confirmed?
import type { PoolDetail } from '../../api/introspection.ts';
import { agoText, counted, durationText, reasonText } from './words.ts';

export type TimelineRow = {
  readonly version: number;
  readonly reason: string;
  readonly moves: string;
  readonly when: string;
  readonly took: string;
  /** Relative to the longest change, 0 to 1. */
  readonly share: number;
  readonly state: 'confirmed' | 'waiting' | 'overtaken';
};

type Change = PoolDetail['history'][number];

/** `history`: the newest first. */
export function timelineOf(history: readonly Change[], now: number): readonly TimelineRow[] {
  const seconds = history.map((change, index) => {
    const overtaken = history[index - 1]?.publishTime;
    const end = change.convergenceTime ?? overtaken;
    const until = end === undefined ? now : Date.parse(end);
    return Math.max(0, (until - Date.parse(change.publishTime)) / 1_000);
  });
  const longest = Math.max(1, ...seconds);
  return history.map(({ version, reason, moves, publishTime, convergenceTime }, index) => {
    const lasted = seconds[index] ?? 0;
    // Kubernetes writes times in whole seconds.
    const length = lasted < 1 ? '< 1 s' : durationText(lasted);
    const state =
      convergenceTime !== undefined ? 'confirmed' : index === 0 ? 'waiting' : 'overtaken';
    const texts = {
      confirmed: length,
      waiting: `${length} so far`,
      overtaken: 'superseded',
    };
    return {
      version,
      reason: reasonText(reason),
      moves: counted(moves, 'move'),
      when: agoText(publishTime, now),
      took: texts[state],
      share: Math.max(0.02, lasted / longest),
      state,
    };
  });
}
