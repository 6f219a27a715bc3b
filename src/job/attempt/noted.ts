// Does the controller of a batch Job know that it was taken back? It may have learnt late of its
// start, and makes pods until it knows.
import { takenBack } from '../../api/grants.ts';
import { isTakenBack, NOTED_WITHIN_MS } from '../../core/batch-ends.ts';
import type { JobWorld, SeenBatchJob } from '../world.ts';

type Seen = Pick<JobWorld, 'batchJob' | 'monotonicMs' | 'remembered'>;

/** What is remembered of its batch Job. */
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
 * For so long its controller may still make pods; 0: it knows. A controller that knew of the start
 * says that it is suspended when it knows of that, too; one that did not may have said so before
 * the start, and then says nothing.
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
