// Which ranks have succeeded by themselves, and how did the batch Job end because of that?
// Kubernetes also counts a rank that succeeds after it was told to end, and removes its pod.
import { type BatchJob, completedRanks, ranksIn } from '../../api/batch-job.ts';
import type { JobPod } from '../../api/job-pod.ts';
import { isTakenBack, withEndByPods } from '../../core/batch-ends.ts';
import type { JobWorld, RankEnds } from '../world.ts';
import { podsOfBatchJob } from './ranks.ts';

type Seen = Pick<JobWorld, 'batchJob' | 'job' | 'pods' | 'remembered'>;

/** A deletion, an eviction or a preemption tells a pod to end. */
const isToldToEnd = (pod: JobPod): boolean => pod.isTerminating || pod.disruption !== undefined;

export const hasEndedByItself = (pod: JobPod): boolean => pod.hasSucceeded && !isToldToEnd(pod);

/**
 * Combines what this leader remembers with the status that an earlier leader wrote, since anyone
 * may delete a pod that has ended.
 */
export function rankEndsOf(world: Seen): RankEnds | undefined {
  const { batchJob, remembered } = world;
  if (batchJob === undefined) return undefined;
  const { uid } = batchJob;
  const before = remembered.rankEnds?.batchJobUid === uid ? remembered.rankEnds : undefined;
  const well = new Set(before?.well);
  const told = new Map(before?.told);
  const noted = notedIn(world, batchJob);
  for (const rank of noted ?? believedOf(world, batchJob)) if (!told.has(rank)) well.add(rank);
  for (const pod of podsOfBatchJob(world)) {
    const { rank } = pod;
    if (rank === undefined || well.has(rank)) continue;
    if (hasEndedByItself(pod)) well.add(rank);
    else if (isToldToEnd(pod)) told.set(rank, toldText(pod));
  }
  const unseen = new Set<number>();
  for (const rank of noted === undefined ? [] : vanishedOf(world, batchJob)) {
    if (well.has(rank) || told.has(rank)) continue;
    // The pods were read since the rank became unseen.
    if (before?.unseen.has(rank) === true) told.set(rank, unseenText(rank));
    else unseen.add(rank);
  }
  return { batchJobUid: uid, well, told, unseen };
}

/** The ended ranks in the status of this attempt; undefined: the status has none. */
function notedIn({ job }: Seen, { attempt }: BatchJob): readonly number[] | undefined {
  const { endedRanks, attempt: said } = job.status ?? {};
  return endedRanks === undefined || said !== attempt ? undefined : ranksIn(endedRanks);
}

/** Ranks that Kubernetes counts as completed, and whose pods are gone. */
function vanishedOf(world: Seen, batchJob: BatchJob): readonly number[] {
  const present = new Set(podsOfBatchJob(world).map(({ rank }) => rank));
  return completedRanks(batchJob).filter((rank) => !present.has(rank));
}

const unseenText = (rank: number): string =>
  `the pod of rank ${rank} is gone, and the operator has not seen how it ended`;

/**
 * Why the remaining ranks run in vain: a rank was told to end, and ended with exit code 0, so that
 * Kubernetes counts it as completed and does not replace it. After a rank has failed, or at the
 * deadline, Kubernetes deletes the other pods itself. The reason stays the same after the operator
 * has stopped the attempt.
 */
export function whyCutShort(world: Omit<Seen, 'job'>): string | undefined {
  const own = podsOfBatchJob(world);
  const isStopped = world.batchJob !== undefined && isTakenBack(world.batchJob);
  const goesOn = own.some((pod) => !pod.hasEnded && (isStopped || !pod.isTerminating));
  if (!goesOn || own.some(({ hasEnded, hasSucceeded }) => hasEnded && !hasSucceeded))
    return undefined;
  if (own.some((pod) => pod.hasSucceeded && isToldToEnd(pod))) return CUT_SHORT;
  return lostRankText(world);
}

/** The work is done: the other ranks are told to end. */
export function hasLeaderEndedWell({
  batchJob,
  remembered: { rankEnds },
}: Pick<Seen, 'batchJob' | 'remembered'>): boolean {
  const isOfBatchJob = batchJob !== undefined && rankEnds?.batchJobUid === batchJob.uid;
  return isOfBatchJob && batchJob.endsWithLeader && rankEnds.well.has(0);
}

export const CUT_SHORT = 'a rank was deleted or evicted while others ran';

/** The text for a rank whose pod is gone. */
function lostRankText({ batchJob, remembered }: Omit<Seen, 'job'>): string | undefined {
  const { rankEnds } = remembered;
  if (batchJob === undefined || rankEnds?.batchJobUid !== batchJob.uid) return undefined;
  const { well, told } = rankEnds;
  const lost = completedRanks(batchJob).find((rank) => told.has(rank) && !well.has(rank));
  return lost === undefined ? undefined : told.get(lost);
}

/** "0-3,7" */
export function endedRanksText({ well }: RankEnds): string {
  const ranges: [first: number, last: number][] = [];
  for (const rank of [...well].sort((a, b) => a - b)) {
    const open = ranges.at(-1);
    if (open !== undefined && open[1] === rank - 1) open[1] = rank;
    else ranges.push([rank, rank]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join();
}

const toldText = ({ rank, disruption }: JobPod): string =>
  disruption === undefined
    ? `rank ${rank} was told to end: its pod was deleted`
    : `rank ${rank} was disrupted: ${disruption}`;

/**
 * For a status without ranks, written by an earlier version of the operator: while other ranks run,
 * the completed ranks of Kubernetes count. Once it has counted all, they may all have been told to
 * end.
 */
function believedOf(world: Seen, batchJob: BatchJob): readonly number[] {
  const counted = completedRanks(batchJob);
  // An earlier version made none that end with their leader.
  if (batchJob.endsWithLeader) return [];
  if (batchJob.end !== undefined || counted.length >= sizeOf(batchJob)) return [];
  return vanishedOf(world, batchJob);
}

const sizeOf = ({ completions }: BatchJob): number => Math.max(1, completions ?? 1);

/** The batch Job with the end that its pods show. If it was taken back, it keeps its own end. */
export function withOwnEnd(world: Seen, ends = rankEndsOf(world)): BatchJob | undefined {
  const { batchJob } = world;
  if (batchJob === undefined || ends === undefined) return undefined;
  const { end, hasOtherController } = batchJob;
  if (end === undefined) return withEndByPods(batchJob, podsOfBatchJob(world), [...ends.well]);
  if (hasOtherController) return batchJob;
  // What else has failed makes no difference then, nor that the batch Job was taken back.
  if (batchJob.endsWithLeader && ends.well.has(0))
    return { ...batchJob, end: { ...end, type: 'Complete', reason: 'LeaderEnded' } };
  if (isTakenBack(batchJob) || end.type !== 'Complete') return batchJob;
  const message = whyNotWell(ends, batchJob.endsWithLeader ? 1 : sizeOf(batchJob));
  if (message === undefined) return batchJob;
  return { ...batchJob, end: { type: 'Failed', reason: 'Disrupted', message, time: end.time } };
}

/** The text for the first rank that is not known to have succeeded. */
function whyNotWell({ well, told }: RankEnds, size: number): string | undefined {
  for (let rank = 0; rank < size; rank += 1)
    if (!well.has(rank)) return told.get(rank) ?? unseenText(rank);
  return undefined;
}
