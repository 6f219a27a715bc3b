// By when does each waiting job of a queue start, or why is that not known?
import { timeText } from '../core/text.ts';
import type { DesiredQueues } from './desired-state.ts';
import { estimateStarts, MOST_ESTIMATED, waitsForRoom } from './order/estimate.ts';

export type ToldStart = {
  /** The latest start. Both fields are undefined if the reason to wait says enough. */
  readonly startsBy?: string | undefined;
  /** Why there is no estimate. */
  readonly noEstimate?: string | undefined;
};

/** Reduces an object with more fields to these two. */
export const toldStart = ({ startsBy, noEstimate }: ToldStart): ToldStart => ({
  ...(startsBy !== undefined && { startsBy }),
  ...(noEstimate !== undefined && { noEstimate }),
});

/**
 * By UID. Omits jobs that cannot start unless a user changes something, and jobs of a paused queue.
 */
export function startsIn(
  desired: DesiredQueues,
  queue: string,
  now: number,
): ReadonlyMap<string, ToldStart> {
  const { facts, holdings, pass, waiting } = desired;
  const starts = estimateStarts(queue, facts, pass, holdings());
  return new Map(
    waiting.flatMap((job): readonly (readonly [string, ToldStart])[] => {
      if (job.queue !== queue || !waitsForRoom(pass.waiting.get(job.uid))) return [];
      const until = starts.get(job.uid);
      if (until === undefined)
        return [[job.uid, { noEstimate: `it is not among the first ${MOST_ESTIMATED}` }]];
      if ('unknown' in until) return [[job.uid, { noEstimate: until.unknown }]];
      return [[job.uid, { startsBy: timeText(now + until.ms + facts.startsInMs) }]];
    }),
  );
}
