// Which metrics are there of queues and their jobs? One series for each queue, never one for each
// job: a namespace may have thousands.
import type { Family } from './family.ts';
import { counter, gauge, histogram } from './family.ts';

const QUEUE = ['namespace', 'queue'] as const;
const QUEUE_RESOURCE = [...QUEUE, 'resource'] as const;

export const queueGauges = {
  waiting: gauge('swarm_queue_waiting_jobs', 'Jobs that wait for admission.', QUEUE),
  admitted: gauge('swarm_queue_admitted_jobs', 'Jobs that are admitted.', QUEUE),
  held: gauge(
    'swarm_queue_held_pods',
    'Pods that have not ended although their job is over or suspended; they use the quota until then.',
    QUEUE,
  ),
  isReady: gauge('swarm_queue_ready', '1: the queue admits jobs.', QUEUE),
} as const satisfies Record<string, Family>;

/** In the unit of the resource: cores, bytes, pods. */
export const queueAmounts = {
  quota: gauge('swarm_queue_quota', 'How much of a resource the queue grants.', QUEUE_RESOURCE),
  used: gauge(
    'swarm_queue_used',
    'How much of it is in use: what is admitted, or the requests of pods that have not ended, whichever is more.',
    QUEUE_RESOURCE,
  ),
} as const satisfies Record<string, Family>;

export const queueAdmissions = counter(
  'swarm_queue_admissions_total',
  'Jobs that were admitted; a job that is started again counts again.',
  QUEUE,
);

export const jobEnds = counter(
  'swarm_queue_jobs_ended_total',
  'Jobs that ended, by how: Succeeded, Failed.',
  [...QUEUE, 'outcome'],
);

const WAIT_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400];

export const queueWait = histogram(
  'swarm_queue_wait_seconds',
  'From when a job was queued until it was admitted.',
  WAIT_SECONDS,
  QUEUE,
);

export const queueFamilies: readonly Family[] = [
  ...Object.values(queueGauges),
  ...Object.values(queueAmounts),
  queueAdmissions,
  queueWait,
  jobEnds,
];
