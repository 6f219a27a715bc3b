// What is told of the start of each waiting job of a queue?
import { timeText } from '../core/text.ts';
import type { DesiredQueues } from './desired-state.ts';
import { estimateStarts, MOST_ESTIMATED, waitsForRoom } from './order/estimate.ts';
import { holdingsIn } from './order/in-use.ts';
import type { QueueWorld } from './world.ts';

export type ToldStart = {
  /** When it will have started; with neither, its reason says all. */
  readonly startsBy?: string | undefined;
  /** Why that is not known. */
  readonly noEstimate?: string | undefined;
};

/** Without all else that is known of the job. */
export const toldStart = ({ startsBy, noEstimate }: ToldStart): ToldStart => ({
  ...(startsBy !== undefined && { startsBy }),
  ...(noEstimate !== undefined && { noEstimate }),
});

/** By UID. Jobs that never start as things are, and those of a paused queue, have none. */
export function startsIn(
  world: QueueWorld,
  desired: DesiredQueues,
  queue: string,
  now: number,
): ReadonlyMap<string, ToldStart> {
  const { facts, pass, waiting } = desired;
  const starts = estimateStarts(queue, facts, pass, holdingsIn(world, desired, now));
  return new Map(
    waiting.flatMap((job): readonly (readonly [string, ToldStart])[] => {
      if (job.queue !== queue || !waitsForRoom(pass.waiting.get(job.uid))) return [];
      const until = starts.get(job.uid);
      if (until === undefined)
        return [[job.uid, { noEstimate: `it is not among the first ${MOST_ESTIMATED}` }]];
      if ('unknown' in until) return [[job.uid, { noEstimate: until.unknown }]];
      return [[job.uid, { startsBy: timeText(now + until.ms) }]];
    }),
  );
}
