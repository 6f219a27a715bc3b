// Has a batch Job ended, or was it taken back? Kubernetes collects the changes of pods for a second
// before it writes the end of their batch Job; the pods show earlier that it will create no more.
import { type BatchJob, completedRanks } from '../api/batch-job.ts';
import { grantOf, takesBack } from '../api/grants.ts';
import type { JobPod } from '../api/job-pod.ts';

/** A controller notices within this time that a batch Job was suspended. */
export const NOTED_WITHIN_MS = 5_000;

export const isTakenBack = ({ grant = 0 }: BatchJob): boolean => takesBack(grant);

/**
 * Identifies one start of a batch Job. A labelled Job is started more than once, each time under
 * another grant.
 */
export const startOf = ({ uid, grant = 0 }: BatchJob): string => `${uid} ${grantOf(grant)}`;

/** The batch Job starts no pod any more: it has ended, or no start under way can reach it. */
export const isOver = (job: BatchJob): boolean =>
  job.end !== undefined || (job.isSuspended && isTakenBack(job));

/**
 * `pods` are the batch Job's pods, including ended ones. `counted` are the ranks that are known to
 * have succeeded, whether or not their pods still exist.
 */
export function withEndByPods(
  job: BatchJob,
  pods: readonly JobPod[],
  counted: readonly number[] = completedRanks(job),
): BatchJob {
  if (job.end !== undefined || !haveAllEndedWell(job, pods, counted)) return job;
  const message = 'all of its pods have ended well';
  return { ...job, end: { type: 'Complete', reason: 'PodsSucceeded', message, time: undefined } };
}

/** Applies `withEndByPods` to each batch Job of a namespace. */
export function withEndsByPods(
  jobs: readonly BatchJob[],
  pods: readonly JobPod[],
): readonly BatchJob[] {
  const open = new Set(jobs.flatMap(({ uid, end }) => (end === undefined ? [uid] : [])));
  if (open.size === 0) return jobs;
  const own = pods.filter(({ jobUid = '' }) => open.has(jobUid));
  const byJob = Map.groupBy(own, ({ jobUid }) => jobUid);
  return jobs.map((job) => withEndByPods(job, byJob.get(job.uid) ?? []));
}

/**
 * Kubernetes counts each pod that has succeeded before it removes the pod, and does not replace it.
 * A pod that was deleted while it ran may succeed without being counted. If ranks are not known,
 * each pod counts once.
 */
function haveAllEndedWell(
  job: BatchJob,
  pods: readonly JobPod[],
  counted: readonly number[],
): boolean {
  const { completions, hasOtherController, isSuspended } = job;
  // Pods that end while their batch Job is suspended may not be counted.
  if (completions === undefined || hasOtherController || isSuspended) return false;
  if (pods.some(({ hasEnded }) => !hasEnded)) return false;
  const ended = pods.filter((pod) => pod.hasSucceeded && !pod.isTerminating);
  const well = new Set([...counted, ...ended.map(({ rank, uid }) => rank ?? uid)]);
  return job.endsWithLeader ? well.has(0) : well.size >= Math.max(1, completions);
}
