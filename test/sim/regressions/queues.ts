// Which stories about queues and jobs failed?
import { jobSpec } from '../queue/manifests.ts';
import type { Regression } from './regression.ts';

const queues = { q0: { quota: { pods: '2' } } };

export const queueRegressions: readonly Regression[] = [
  {
    was: 'a job whose batch Job could not be made kept its quota for ever after its start time-out',
    story: {
      ...{ seed: 1, queues, hasStandby: false },
      actions: [
        {
          do: 'createJob',
          name: 'j0',
          spec: jobSpec('q0', 1, '1', { forMs: 1_000 }, { startTimeoutSeconds: 3 }),
          atMs: 100,
        },
      ],
      faults: [{ fault: 'F13', call: 3, side: 'before' }],
    },
  },
  {
    was: 'the status of a job that had ended stayed that of an earlier spec after an edit',
    story: {
      ...{ seed: 2, queues, hasStandby: false },
      actions: [
        { do: 'createJob', name: 'j0', spec: jobSpec('q0', 1, '1', { forMs: 500 }), atMs: 100 },
        { do: 'job', name: 'j0', patch: { priority: 3 }, atMs: 6_000 },
      ],
      faults: [],
    },
  },
];
