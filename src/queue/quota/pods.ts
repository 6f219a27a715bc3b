// How much of each resource does a pod take that has not ended?
import type { JobPod } from '../../api/job-pod.ts';
import { type Amounts, sum } from '../../core/amounts.ts';
import { memoize } from '../../core/memoize.ts';
import { requestsOf } from '../../core/pod-requests.ts';
import { ONE } from '../../core/quantity.ts';

export const requestsOfPod = memoize(
  (pod: JobPod): Amounts => sum([new Map([['pods', ONE]]), requestsOf(pod.spec)]),
);
