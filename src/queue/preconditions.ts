// What keeps a queue from admitting jobs at all? The first refusal counts.
import type { SwarmQueue, SwarmQueueSpec } from '../api/validate.ts';
import { type BlockedBy, invalidSpec } from '../core/blocked.ts';
import type { QueueObstacleReason } from './reasons.ts';

type BlockedQueue = BlockedBy<QueueObstacleReason>;

export function whyBlocked({ spec }: SwarmQueue): BlockedQueue | undefined {
  if (!spec.ok) return invalidSpec(spec.problems);
  const field = notSupported(spec.value);
  if (field === undefined) return undefined;
  const message = `spec.${field} is not supported yet: leave it out`;
  return { reason: 'NotSupportedYet', message, isStalled: true };
}

function notSupported({ cohort, preemption }: SwarmQueueSpec): string | undefined {
  if (cohort !== undefined) return 'cohort';
  const { reclaimWithinCohort = 'Never' } = preemption ?? {};
  return reclaimWithinCohort === 'Never' ? undefined : 'preemption.reclaimWithinCohort';
}
