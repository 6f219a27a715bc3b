// How does a Job that joined a queue by its label end, so that one of higher priority can start?
import type { BatchJob } from '../../api/batch-job.ts';
import { takenBack } from '../../api/grants.ts';
import { kinds } from '../../api/kinds.ts';
import type { LedgerEntry, Preempted } from '../../api/ledger.ts';
import type { EventText, Step } from '../../core/decision.ts';
import { ownEventStep } from '../../core/own-status.ts';
import type { LabelledJobReason } from '../reasons.ts';
import { suspend } from './job-patches.ts';

/**
 * Also takes back a Job that has not started: a late start then finds a later version of the Job.
 */
export function stepsToGiveWay(
  job: BatchJob,
  { grant, queue }: LedgerEntry,
  preempted: Preempted,
): readonly Step[] {
  if (job.isSuspended && job.grant === takenBack(grant)) return [];
  return [suspend(job, grant), ownEventStep(kinds.Job, job, preemptedEvent(queue, preempted))];
}

const preemptedEvent = (queue: string, { name, priority }: Preempted): EventText => ({
  type: 'Warning',
  reason: 'Preempted' satisfies LabelledJobReason,
  action: 'Suspend',
  message:
    `Suspended, and waits again: job ${name} of priority ${priority} takes its place in ` +
    `SwarmQueue ${queue}`,
});
