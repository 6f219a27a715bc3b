// P12: queues and jobs. All figures: the pure admission first, which needs no cluster.
import type { Measured } from './instruments/measure.ts';
import { benchAdmission } from './queues/admission.ts';
import { benchJobs } from './queues/jobs.ts';

export const benchQueues = async (jobs: number): Promise<readonly Measured[]> => [
  ...benchAdmission(),
  ...(await benchJobs(jobs)),
];
