// How many ranks run, and what is wrong with the others?
import { type BatchJob, completedRanks } from '../../api/batch-job.ts';
import type { JobPod } from '../../api/job-pod.ts';
import { listed, plural } from '../../core/text.ts';
import type { JobWorld } from '../world.ts';

type Pods = Pick<JobWorld, 'batchJob' | 'pods'>;
type Ranks = Pods & Pick<JobWorld, 'podRefusal'>;

/** Pods whose requests still count, since they have not ended. */
export const livingPods = ({ pods }: Pick<JobWorld, 'pods'>): readonly JobPod[] =>
  pods.filter(({ hasEnded }) => !hasEnded);

/** Omits pods of an earlier SwarmJob with the same name, which was deleted. */
export const ownPods = <Facts extends Pick<JobWorld, 'job' | 'pods'>>(facts: Facts): Facts => ({
  ...facts,
  pods: facts.pods.filter(
    ({ swarmJobUid }) => swarmJobUid === undefined || swarmJobUid === facts.job.meta.uid,
  ),
});

/**
 * A pod lives, as its controller or a watch reports, or may still be created: Kubernetes notes a
 * suspension a moment after it is written.
 */
export function isAlive(world: Pods): boolean {
  if (livingPods(world).length > 0) return true;
  const { batchJob } = world;
  if (batchJob === undefined || batchJob.end !== undefined || batchJob.isDeleting) return false;
  const { isSuspended, isResumed, active, terminating } = batchJob;
  return !isSuspended || isResumed || active > 0 || terminating > 0;
}

export const podsOfBatchJob = ({ batchJob, pods }: Pods): readonly JobPod[] =>
  batchJob === undefined ? [] : pods.filter(({ jobUid }) => jobUid === batchJob.uid);

/** Includes ranks that have succeeded and whose pods are gone. */
export const readyRanks = (pods: Pods): number =>
  new Set([
    ...podsOfBatchJob(pods)
      .filter((pod) => pod.hasSucceeded || runs(pods, pod))
      .map(({ rank }) => rank),
    ...(pods.batchJob === undefined ? [] : completedRanks(pods.batchJob)),
  ]).size;

/** A rank that waits for the others is Ready, and does not run yet. */
const runs = (world: Pods, pod: JobPod): boolean =>
  pod.isReady && !pod.hasEnded && !pod.isTerminating && !waits(world, pod);

const waits = ({ batchJob }: Pods, { hasAddresses }: JobPod): boolean =>
  batchJob?.startsTogether === true && !hasAddresses;

/** Kubernetes counts the leader as completed, so it ends the other ranks. */
const hasLeaderCompleted = (batchJob: BatchJob): boolean =>
  batchJob.endsWithLeader && completedRanks(batchJob)[0] === 0;

/** The batch Job may create pods, and has not created all of them. */
export function missesPods(world: Pods): boolean {
  const { batchJob } = world;
  if (batchJob === undefined || batchJob.isSuspended || batchJob.isDeleting) return false;
  if (batchJob.end !== undefined || hasLeaderCompleted(batchJob)) return false;
  const made = podsOfBatchJob(world).map(({ rank }) => rank);
  return new Set([...made, ...completedRanks(batchJob)]).size < batchJob.parallelism;
}

/** Why a pod is missing, in the words of the API server. */
export const refusalOf = (world: Ranks): string | undefined =>
  missesPods(world) ? world.podRefusal : undefined;

/** "2 of 4 ranks run; rank 1: ImagePullBackOff" */
export function ranksText(world: Ranks, size: number): string {
  const run = `${readyRanks(world)} of ${size === 1 ? '1 rank runs' : `${size} ranks run`}`;
  const waiting = waitingRanks(world).length;
  const wait =
    waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? 'waits' : 'wait'} for the others`];
  const trouble = refusalOf(world) ?? firstTrouble(world)?.text;
  return [run, ...wait, ...(trouble === undefined ? [] : [trouble])].join('; ');
}

/** All its containers were started, and none has failed. */
export const isThere = (pod: JobPod): boolean =>
  pod.hasBegun &&
  pod.ip !== undefined &&
  pod.exitCode === undefined &&
  !pod.hasEnded &&
  !pod.isTerminating;

/** Ranks that are there, and wait until all are. */
export const waitingRanks = (world: Pods): readonly JobPod[] =>
  podsOfBatchJob(world).filter((pod) => waits(world, pod) && isThere(pod));

/** The problem of the first rank that has one. */
export function firstTrouble(
  pods: Pods,
): { readonly text: string; readonly word: string } | undefined {
  const troubled = podsOfBatchJob(pods)
    .filter(({ trouble, hasEnded }) => trouble !== undefined && !hasEnded)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  const [first] = troubled;
  if (first?.trouble === undefined) return undefined;
  const more = troubled.length > 1 ? `, and ${plural(troubled.length - 1, 'more rank')}` : '';
  return { text: `rank ${first.rank ?? '?'}: ${first.trouble}${more}`, word: first.trouble };
}

/**
 * "2 pods have not ended: lammps-0-x on node-1 and lammps-1-y". A pod without a Job ends only by
 * its own command.
 */
export function livingText(pods: Pick<JobWorld, 'pods'>): string {
  const living = livingPods(pods);
  const names = living.map(({ name, node }) => (node === undefined ? name : `${name} on ${node}`));
  const have = living.length === 1 ? 'has' : 'have';
  const text = `${plural(living.length, 'pod')} ${have} not ended: ${listed([...names].sort(), 3)}`;
  const orphans = living.filter(({ orphanOf }) => orphanOf !== undefined).length;
  const those = orphans === 1 ? 'the one' : `the ${orphans}`;
  return orphans === 0 ? text : `${text}; delete ${those} that no Job controls any more`;
}
