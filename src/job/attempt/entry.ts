// May the job run? As its entry in the ledger and the number of its batch Job say.
import type { LedgerEntry } from '../../api/ledger.ts';
import { hasGivenUp } from '../../api/swarm-job.ts';
import { isVoid } from '../../core/ledgers.ts';
import type { JobWorld } from '../world.ts';

/**
 * The entry under which something may be started, or runs. Undefined: there is none, it is void, or
 * what it granted was taken back or has ended.
 */
export function entryInForce({
  job,
  entry,
  batchJob,
}: Pick<JobWorld, 'job' | 'entry' | 'batchJob'>): LedgerEntry | undefined {
  if (entry === undefined || entry.preempted !== undefined) return undefined;
  const { grant, end, parallelism, isSuspended = true } = batchJob ?? {};
  // What was started stays what it was admitted for, however the spec is read later.
  const hasStarted = grant === entry.grant && !isSuspended;
  if (hasStarted ? hasGivenUp(job, entry) : isVoid(job, entry)) return undefined;
  if (grant === undefined || grant < entry.grant) return entry;
  // A batch Job that a user has scaled is another one than was admitted.
  const isWhole = end === undefined && parallelism === entry.size;
  return grant === entry.grant && isWhole ? entry : undefined;
}
