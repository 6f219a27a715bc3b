// Which entries of the ledger stay? A job gives its entry back when nothing of it can run any more.
import type { BatchJob } from '../../api/batch-job.ts';
import { takenBack } from '../../api/grants.ts';
import type { LedgerEntry } from '../../api/ledger.ts';
import { hasEnded, isAdmitted } from '../../api/swarm-job.ts';
import type { SwarmJob } from '../../api/validate.ts';
import { isOver, NOTED_WITHIN_MS } from '../../core/batch-ends.ts';
import { isVoid } from '../../core/ledgers.ts';

/** What there is of one job. */
export type Footprint = {
  readonly job: SwarmJob | undefined;
  readonly runs: readonly BatchJob[];
  readonly livingPods: number;
  /** Of batch Jobs whose controller may not know yet that they were taken back, see the world. */
  readonly unnotedMs: ReadonlyMap<string, number>;
  /** For how long it has not wanted to run, if its batch Job may have pods that are not known. */
  readonly unseenMs: number | undefined;
};

/** The watch of pods may be so much later than that of batch Jobs. */
export const SEEN_WITHIN_MS = 5_000;

export function isGivenBack(entry: LedgerEntry, footprint: Footprint): boolean {
  const { grant } = entry;
  const { job, runs, livingPods, unnotedMs, unseenMs = SEEN_WITHIN_MS } = footprint;
  const isSeen = unseenMs >= SEEN_WITHIN_MS;
  if (livingPods > 0 || runs.some((run) => run.isSuspended && mayHavePods(run, unnotedMs)))
    return false;
  const run = runs.find((it) => it.grant === grant);
  if (run === undefined) {
    // A later number: it was taken back. None: nothing was made yet, or it was deleted.
    const wasTakenBack = runs.some((it) => it.grant !== undefined && it.grant >= takenBack(grant));
    const isGivenUp =
      runs.every(isOver) && job !== undefined && isVoid(job, entry) && !isStillTold(job, entry);
    return wasTakenBack || isGivenUp || (!wantsToRun(job) && isSeen);
  }
  // It can still be started, or was and the watch is late: it creates pods then.
  if (run.end === undefined) return job === undefined && run.isSuspended && isSeen;
  // How it ended is first written into the job's status, so that nothing is counted twice.
  return job === undefined || !isAdmitted(job);
}

/** Its status has to say first that another job takes its place. */
const isStillTold = (job: SwarmJob, { preempted }: LedgerEntry): boolean =>
  preempted !== undefined && isAdmitted(job);

/**
 * It runs, or its controller may not know yet that it was suspended, or ends pods of which the
 * watch of pods may not have told yet.
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
