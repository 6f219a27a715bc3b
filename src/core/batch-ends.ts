// Has a batch Job ended, or was it taken back? Kubernetes gathers the changes of its pods for a
// second before it says that one has ended; the pods say earlier that none of them will be made
// again.
import { type BatchJob, completedRanks } from '../api/batch-job.ts';
import { grantOf, takesBack } from '../api/grants.ts';
import type { JobPod } from '../api/job-pod.ts';

/** A controller may take so long to notice that a batch Job was suspended. */
export const NOTED_WITHIN_MS = 5_000;

export const isTakenBack = ({ grant = 0 }: BatchJob): boolean => takesBack(grant);

/** One that is queued by its label is started more than once: each time under another number. */
export const startOf = ({ uid, grant = 0 }: BatchJob): string => `${uid} ${grantOf(grant)}`;

/** Nothing of this batch Job runs, and no start that is under way can reach it. */
export const isOver = (job: BatchJob): boolean =>
  job.end !== undefined || (job.isSuspended && isTakenBack(job));

/**
 * `pods`: its own, ended ones among them. `counted`: ranks that are known to have ended well,
 * whether or not their pod is still there.
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

/** Of each batch Job of a namespace. */
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
 * Kubernetes counts each pod that ended well before it lets the pod go, and makes none in place of
 * it. One that was deleted while it ran may end well and not be counted. Where the ranks are not
 * known, each pod counts once.
 */
function haveAllEndedWell(
  job: BatchJob,
  pods: readonly JobPod[],
  counted: readonly number[],
): boolean {
  const { completions, hasOtherController, isSuspended } = job;
  // Pods that end while their batch Job is taken back may not be counted.
  if (completions === undefined || hasOtherController || isSuspended) return false;
  if (pods.some(({ hasEnded }) => !hasEnded)) return false;
  const ended = pods.filter((pod) => pod.hasSucceeded && !pod.isTerminating);
  const well = [...counted, ...ended.map(({ rank, uid }) => rank ?? uid)];
  return new Set(well).size >= Math.max(1, completions);
}
