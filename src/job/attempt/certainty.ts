// Does the operator know all pods of the job for certain? It must, before it concludes from missing
// pods that an attempt failed without an exit code, that ranks were told to end, or that another
// attempt may begin.
import { hasEnded, isAdmitted } from '../../api/swarm-job.ts';
import { isTakenBack } from '../../core/batch-ends.ts';
import type { JobWorld } from '../world.ts';
import { entryInForce } from './entry.ts';
import { isFailureNews, isOfEarlierAttempt } from './failure.ts';

/**
 * One watch may lag behind another by this much. If a status contradicts the watches for longer, a
 * user has edited it.
 */
const WATCHES_LATE_MS = 30_000;

/** The status is so new that a watch may lag behind it. A user may have edited an older status. */
export const isFresh = ({ statusMs }: Pick<JobWorld, 'statusMs'>): boolean =>
  statusMs < WATCHES_LATE_MS;

/**
 * The watch may never report the end of a pod that only a list has shown: pods are listed again.
 */
export const READ_AGAIN_MS = 5_000;

type Attempts = Pick<JobWorld, 'batchJob' | 'entry' | 'job' | 'remembered'>;

/** False for a job that never ran, which has no pods. */
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
 * The batch Job was created and has vanished, perhaps together with the SwarmJob: Kubernetes
 * deletes the objects of a deleted owner.
 */
export const isMadeAgain = ({ batchJob, entry, remembered }: Omit<Attempts, 'job'>): boolean =>
  batchJob === undefined && entry !== undefined && remembered.madeUnder === entry.grant;

/** According to the watches, the batch Job runs or is the last one, and the status differs. */
export function contradictsStatus(world: Attempts): boolean {
  const { job, batchJob, entry } = world;
  if (batchJob === undefined) return false;
  const { state, attempt = 0 } = job.status ?? {};
  const { attempt: made = attempt, grant, end, isSuspended } = batchJob;
  if (isOfEarlierAttempt(world) && grant === entry?.grant) return true;
  const isOver = hasEnded(job) || (state === 'Waiting' && made === attempt);
  return isOver && end === undefined && !isSuspended && entryInForce(world) !== undefined;
}
