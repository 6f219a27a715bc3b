// May the job run? As its entry in the ledger and the number of its batch Job say.
import type { BatchJob } from '../../api/batch-job.ts';
import { type LedgerEntry, takenBack } from '../../api/ledger.ts';
import { hasGivenUp } from '../../api/swarm-job.ts';
import type { JobWorld } from '../world.ts';

/** Numbers that a queue gives are even; one that was taken back is odd. */
export const isTakenBack = ({ grant }: BatchJob): boolean => grant !== undefined && grant % 2 === 1;

/** Odd, and above every number that is still in use. */
export const oddGrant = (grant: number): number => (grant % 2 === 1 ? grant : takenBack(grant));

/** Nothing of this batch Job runs, and no start that is under way can reach it. */
export const isOver = (batchJob: BatchJob): boolean =>
  batchJob.end !== undefined || (batchJob.isSuspended && isTakenBack(batchJob));

/**
 * The entry under which something may be started. Undefined: there is none, or what it granted was
 * taken back or has ended.
 */
export function entryInForce({
  job,
  entry,
  batchJob,
}: Pick<JobWorld, 'job' | 'entry' | 'batchJob'>): LedgerEntry | undefined {
  if (entry === undefined || hasGivenUp(job, entry)) return undefined;
  const { grant, end } = batchJob ?? {};
  if (grant === undefined || grant < entry.grant) return entry;
  return grant === entry.grant && end === undefined ? entry : undefined;
}
