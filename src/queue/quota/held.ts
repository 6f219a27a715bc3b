// Which jobs use quota although they are over?
import type { BatchJob } from '../../api/batch-job.ts';
import type { JobPod } from '../../api/job-pod.ts';
import type { LedgerEntry } from '../../api/ledger.ts';
import { hasEnded } from '../../api/swarm-job.ts';
import type { SwarmJob } from '../../api/validate.ts';
import { nameOf, type Parts } from '../parts.ts';

export type HeldJob = {
  readonly name: string;
  readonly queue: string;
  readonly pods: readonly JobPod[];
};

/** The job has ended, is suspended, or was deleted. */
export const isJobOver = (job: SwarmJob | undefined, runs: readonly BatchJob[]): boolean =>
  (job === undefined && runs[0]?.swarmJobUid !== undefined) ||
  (job === undefined && runs.length === 0) ||
  (job !== undefined && hasEnded(job)) ||
  (job?.spec.ok === true && job.spec.value.suspend) ||
  runs.some(({ end }) => end !== undefined);

/**
 * Jobs that are over, deleted or suspended, and whose pods still use quota; also other jobs with a
 * pod that is being deleted, since their attempt ends with that pod.
 */
export function heldJobs(
  parts: ReadonlyMap<string, Parts>,
  jobs: ReadonlyMap<string, SwarmJob>,
  entries: readonly LedgerEntry[],
): readonly HeldJob[] {
  const queues = new Map(entries.map(({ uid, queue }) => [uid, queue]));
  return [...parts]
    .flatMap(([uid, { runs, pods }]): readonly HeldJob[] => {
      const job = jobs.get(uid);
      const holding = isJobOver(job, runs)
        ? pods
        : pods.filter(({ isTerminating }) => isTerminating);
      const [first] = holding;
      if (first === undefined) return [];
      const queue = queues.get(uid) ?? runs[0]?.queue ?? first.queue;
      if (queue === undefined) return [];
      return [{ name: nameOf(job, runs, first), queue, pods: holding }];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
