// Which entries of the ledger stay? An entry is given back when no pod of its job can run any more.
import type { BatchJob } from '../../api/batch-job.ts';
import { takenBack } from '../../api/grants.ts';
import type { LedgerEntry } from '../../api/ledger.ts';
import { hasEnded, isAdmitted } from '../../api/swarm-job.ts';
import type { SwarmJob } from '../../api/validate.ts';
import { isOver, NOTED_WITHIN_MS } from '../../core/batch-ends.ts';
import { isVoid } from '../../core/ledgers.ts';

/** The objects of one job. */
export type Footprint = {
  readonly job: SwarmJob | undefined;
  readonly runs: readonly BatchJob[];
  readonly livingPods: number;
  /**
   * Times since batch Jobs were taken back whose controllers may not have noticed yet (see
   * world.ts).
   */
  readonly unnotedMs: ReadonlyMap<string, number>;
  /** How long the job has not wanted to run, if its batch Job may have unknown pods. */
  readonly unseenMs: number | undefined;
};

/** The watch of pods may lag behind the watch of batch Jobs by this much. */
export const SEEN_WITHIN_MS = 5_000;

export function isGivenBack(entry: LedgerEntry, footprint: Footprint): boolean {
  const { grant } = entry;
  const { job, runs, livingPods, unnotedMs, unseenMs = SEEN_WITHIN_MS } = footprint;
  const isSeen = unseenMs >= SEEN_WITHIN_MS;
  if (livingPods > 0 || runs.some((run) => run.isSuspended && mayHavePods(run, unnotedMs)))
    return false;
  const run = runs.find((it) => it.grant === grant);
  if (run === undefined) {
    // A later number: the grant was taken back. No number: the batch Job does not exist yet, or was
    // deleted.
    const wasTakenBack = runs.some((it) => it.grant !== undefined && it.grant >= takenBack(grant));
    const isGivenUp =
      runs.every(isOver) && job !== undefined && isVoid(job, entry) && !isStillTold(job, entry);
    return wasTakenBack || isGivenUp || (!wantsToRun(job) && isSeen);
  }
  // The batch Job can still be started, or was started and the watch is late: it then creates pods.
  if (run.end === undefined) return job === undefined && run.isSuspended && isSeen;
  // The result is first written into the job's status, so that a failure is not counted twice.
  return job === undefined || !isAdmitted(job);
}

/** The status of the job must first show that another job takes its place. */
const isStillTold = (job: SwarmJob, { preempted }: LedgerEntry): boolean =>
  preempted !== undefined && isAdmitted(job);

/**
 * The batch Job runs, its controller may not have noticed the suspension yet, or it is ending pods
 * that the watch of pods may not have reported yet.
 */
export const mayHavePods = (
  { uid, isSuspended, isResumed, end, terminating }: BatchJob,
  unnotedMs: ReadonlyMap<string, number>,
): boolean =>
  end === undefined &&
  (!isSuspended ||
    isResumed ||
    terminating > 0 ||
    (unnotedMs.get(uid) ?? NOTED_WITHIN_MS) < NOTED_WITHIN_MS);

export const wantsToRun = (job: SwarmJob | undefined): boolean =>
  job?.spec.ok === true && !job.meta.isDeleting && !job.spec.value.suspend && !hasEnded(job);
