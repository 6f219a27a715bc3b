// Is it known for certain which pods the job has? Something may be concluded from those that are
// missing: that an attempt failed without an exit code, that ranks were told to end before they had
// ended, or that another attempt may begin.
import { hasEnded, isAdmitted } from '../../api/swarm-job.ts';
import { isTakenBack } from '../../core/batch-ends.ts';
import type { JobWorld } from '../world.ts';
import { entryInForce } from './entry.ts';
import { isFailureNews, isOfEarlierAttempt } from './failure.ts';

/** One watch may be this much later than another. After that, a user has made up the status. */
export const WATCHES_LATE_MS = 30_000;

/** No watch may tell of the end of a pod that was read and not reported. */
export const READ_AGAIN_MS = 5_000;

type Attempts = Pick<JobWorld, 'batchJob' | 'entry' | 'job' | 'remembered'>;

/** A job that never ran has none. */
export function mustKnowPods(world: Attempts): boolean {
  const { job, batchJob } = world;
  if (isFailureNews(world) || isCompleteOnceStopped(world) || hasUnseenEnds(world)) return true;
  const entry = entryInForce(world);
  const hasRun = job.status?.attempt !== undefined || batchJob !== undefined || isMadeAgain(world);
  return hasRun && entry !== undefined && batchJob?.grant !== entry.grant;
}

export const hasUnseenEnds = ({ remembered }: Pick<JobWorld, 'remembered'>): boolean =>
  (remembered.rankEnds?.unseen.size ?? 0) > 0;

const isCompleteOnceStopped = ({ job, batchJob }: Attempts): boolean =>
  batchJob?.end?.type === 'Complete' &&
  isTakenBack(batchJob) &&
  (isAdmitted(job) || job.status?.state === 'Suspending');

/**
 * Its batch Job was made and has vanished, perhaps with the SwarmJob itself: Kubernetes deletes
 * whatever belongs to one that is gone.
 */
export const isMadeAgain = ({ batchJob, entry, remembered }: Omit<Attempts, 'job'>): boolean =>
  batchJob === undefined && entry !== undefined && remembered.madeUnder === entry.grant;

/** As far as the watches know, its batch Job runs or is the last, and status says otherwise. */
export function contradictsStatus(world: Attempts): boolean {
  const { job, batchJob, entry } = world;
  if (batchJob === undefined) return false;
  const { state, attempt = 0 } = job.status ?? {};
  const { attempt: made = attempt, grant, end, isSuspended } = batchJob;
  if (isOfEarlierAttempt(world) && grant === entry?.grant) return true;
  const isOver = hasEnded(job) || (state === 'Waiting' && made === attempt);
  return isOver && end === undefined && !isSuspended && entryInForce(world) !== undefined;
}
