// Which entries of jobs that do not want to run may have unknown pods?
import type { BatchJob } from '../../api/batch-job.ts';
import type { JobPod } from '../../api/job-pod.ts';
import type { LedgerEntry } from '../../api/ledger.ts';
import type { SwarmJob } from '../../api/validate.ts';
import { wantsToRun } from '../ledger/entries.ts';

type Seen = {
  readonly runs: readonly BatchJob[];
  readonly jobs: readonly SwarmJob[];
  readonly podsOf: (run: BatchJob) => readonly JobPod[];
  /** Entries whose pods were all known when their batch Job was last seen (see `entryKey`). */
  readonly knownBefore: ReadonlySet<string>;
};

type Unseen = {
  readonly allPodsKnown: ReadonlySet<string>;
  /**
   * Entries whose job does not want to run, and whose batch Job is gone or not known to be started.
   */
  readonly unseen: readonly LedgerEntry[];
};

export function unseenOf(
  entries: readonly LedgerEntry[],
  { runs, jobs, podsOf, knownBefore }: Seen,
): Unseen {
  if (entries.length === 0) return { allPodsKnown: new Set(), unseen: [] };
  const runOf = new Map(runs.map((run) => [`${run.swarmJobUid ?? run.uid} ${run.grant}`, run]));
  const known = entries.filter((entry) => {
    const run = runOf.get(entryKey(entry));
    return run === undefined ? knownBefore.has(entryKey(entry)) : hasAllPods(run, podsOf(run));
  });
  const allPodsKnown = new Set(known.map(entryKey));
  // A labelled batch Job wants to run as long as it exists.
  const labelled = new Set(runs.flatMap((run) => (run.swarmJobUid ? [] : [run.uid])));
  const uncertain = entries.filter(
    (entry) =>
      (runOf.get(entryKey(entry))?.isSuspended ?? true) &&
      !allPodsKnown.has(entryKey(entry)) &&
      !labelled.has(entry.uid),
  );
  const uids = new Set(uncertain.map(({ uid }) => uid));
  const wanted = jobs.filter((job) => uids.has(job.meta.uid) && wantsToRun(job));
  const wantedUids = new Set(wanted.map(({ meta }) => meta.uid));
  return { allPodsKnown, unseen: uncertain.filter(({ uid }) => !wantedUids.has(uid)) };
}

const entryKey = ({ uid, grant }: LedgerEntry): string => `${uid} ${grant}`;

/** The controller creates another pod only when one of these pods ends. */
function hasAllPods(run: BatchJob, pods: readonly JobPod[]): boolean {
  const { parallelism, completions = Number.POSITIVE_INFINITY, isDeleting } = run;
  const succeeded = pods.filter((pod) => pod.hasSucceeded).length;
  // A terminating pod may already have a successor, unless the batch Job creates no more pods.
  const alive = pods.filter((pod) => !pod.hasEnded && (isDeleting || !pod.isTerminating)).length;
  return !run.isSuspended && alive >= Math.min(parallelism, completions - succeeded);
}
