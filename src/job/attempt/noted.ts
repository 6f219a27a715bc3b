// Has the controller of a batch Job noticed that it was taken back? The controller may have noticed
// the start late, and creates pods until it notices the suspension.
import { takenBack } from '../../api/grants.ts';
import { isTakenBack, NOTED_WITHIN_MS } from '../../core/batch-ends.ts';
import type { JobWorld, SeenBatchJob } from '../world.ts';

type Seen = Pick<JobWorld, 'batchJob' | 'monotonicMs' | 'remembered'>;

/** Facts about the batch Job that the next decision needs. */
export function seenBatchJob(world: Seen): SeenBatchJob | undefined {
  const { batchJob, monotonicMs, remembered } = world;
  if (batchJob === undefined) return undefined;
  const { uid, isSuspended, suspendedMs } = batchJob;
  const before = remembered.batchJob?.uid === uid ? remembered.batchJob : undefined;
  const isStartNoted = isSuspended ? before?.isStartNoted === true : batchJob.isResumed;
  if (!isSuspended || !isTakenBack(batchJob)) return { uid, isStartNoted, stop: undefined };
  return { uid, isStartNoted, stop: before?.stop ?? { ms: monotonicMs, suspendedMs } };
}

/**
 * How long the controller may still create pods; 0: it has noticed. A controller that has noted the
 * start also notes the suspension. One that has not may have noted a suspension before the start,
 * and then notes nothing new.
 */
export function untilNotedMs({ batchJob, monotonicMs, remembered }: Seen): number {
  const { batchJob: seen, madeUnder, startedUnder } = remembered;
  if (batchJob === undefined || batchJob.end !== undefined || seen?.stop === undefined) return 0;
  const isNeverStarted =
    madeUnder !== undefined &&
    madeUnder !== startedUnder &&
    takenBack(madeUnder) === batchJob.grant;
  const { suspendedMs } = batchJob;
  const isNews = seen.isStartNoted || suspendedMs !== seen.stop.suspendedMs;
  if (isNeverStarted || (suspendedMs !== undefined && isNews)) return 0;
  return Math.max(0, seen.stop.ms + NOTED_WITHIN_MS - monotonicMs);
}
