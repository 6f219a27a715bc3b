// Is it known for certain which pods the job has? Something may be concluded from those that are
// missing: that an attempt failed without an exit code, that ranks were told to end before they had
// ended, or that another attempt may begin.
import type { BatchJob } from '../../api/batch-job.ts';
import { hasEnded, isAdmitted } from '../../api/swarm-job.ts';
import type { SwarmJob } from '../../api/validate.ts';
import { isTakenBack } from '../../core/batch-ends.ts';
import type { JobWorld } from '../world.ts';
import { entryInForce } from './entry.ts';
import { isFailureNews } from './failure.ts';

/** No watch may tell of the end of a pod that was read and not reported. */
export const READ_AGAIN_MS = 5_000;

type Attempts = Pick<JobWorld, 'batchJob' | 'entry' | 'job' | 'remembered'>;

/** A job that never ran has none. */
export function mustKnowPods(world: Attempts): boolean {
  const { job, batchJob } = world;
  if (isFailureNews(world) || isCompleteOnceStopped(world)) return true;
  const entry = entryInForce(world);
  const hasRun = job.status?.attempt !== undefined || batchJob !== undefined || isMadeAgain(world);
  return hasRun && entry !== undefined && batchJob?.grant !== entry.grant;
}

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

/** Its batch Job runs as far as the watches know, and status says that this is over. */
export function contradictsStatus(world: Attempts): boolean {
  const { job, batchJob } = world;
  const isRunning = batchJob?.end === undefined && batchJob?.isSuspended === false;
  return isRunning && saysOver(job, batchJob) && entryInForce(world) !== undefined;
}

/** The job has ended, or waits for its next attempt. */
function saysOver(job: SwarmJob, { attempt: made = 1 }: BatchJob): boolean {
  const { state, attempt = 0 } = job.status ?? {};
  return hasEnded(job) || (state === 'Waiting' && made <= attempt);
}
