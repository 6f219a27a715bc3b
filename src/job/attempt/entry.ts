// May the job run? Its entry in the ledger and the grant of its batch Job decide.
import type { LedgerEntry } from '../../api/ledger.ts';
import { hasGivenUp } from '../../api/swarm-job.ts';
import { isVoid } from '../../core/ledgers.ts';
import type { JobWorld } from '../world.ts';

/**
 * The entry under which the job may be started, or runs. Undefined: there is no entry, it is void,
 * or its attempt was taken back or has ended.
 */
export function entryInForce({
  job,
  entry,
  batchJob,
}: Pick<JobWorld, 'job' | 'entry' | 'batchJob'>): LedgerEntry | undefined {
  if (entry === undefined || entry.preempted !== undefined) return undefined;
  const { grant, end, parallelism, isSuspended = true } = batchJob ?? {};
  // A started job keeps what it was admitted for, even if its spec is edited later.
  const hasStarted = grant === entry.grant && !isSuspended;
  if (hasStarted ? hasGivenUp(job, entry) : isVoid(job, entry)) return undefined;
  if (grant === undefined || grant < entry.grant) return entry;
  // A batch Job that a user has scaled is not the one that was admitted.
  const isWhole = end === undefined && parallelism === entry.size;
  return grant === entry.grant && isWhole ? entry : undefined;
}
