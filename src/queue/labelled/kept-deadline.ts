// Which deadline does a running labelled Job have? Its user may edit the field, but the operator
// enforces the longest deadline that the queue allows.
import type { BatchJob } from '../../api/batch-job.ts';
import { kinds } from '../../api/kinds.ts';
import type { LedgerEntry } from '../../api/ledger.ts';
import type { SwarmQueue } from '../../api/validate.ts';
import type { EventText, Step } from '../../core/decision.ts';
import { ownEventStep } from '../../core/own-status.ts';
import type { LabelledJobReason } from '../reasons.ts';
import { annotate } from './job-patches.ts';

export function deadlineSteps(
  job: BatchJob,
  { queue }: LedgerEntry,
  queues: readonly SwarmQueue[],
): readonly Step[] {
  const spec = queues.find(({ meta }) => meta.name === queue)?.spec;
  const most = spec?.ok === true ? spec.value.maxActiveDeadlineSeconds : undefined;
  if (most === undefined || (job.deadlineSeconds ?? Infinity) <= most) return [];
  return [
    annotate(job, {}, { spec: { activeDeadlineSeconds: most } }),
    ownEventStep(kinds.Job, job, shortened(queue, most)),
  ];
}

const shortened = (queue: string, most: number): EventText => ({
  type: 'Warning',
  reason: 'DeadlineShortened' satisfies LabelledJobReason,
  action: 'Shorten',
  message: `activeDeadlineSeconds is ${most} now: SwarmQueue ${queue} allows no more`,
});
