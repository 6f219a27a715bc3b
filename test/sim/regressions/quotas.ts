// In which stories was a quota exceeded, or kept for nothing?
import { jobSpec } from '../queue/manifests.ts';
import type { QueueStory } from '../queue/story.ts';
import type { Regression } from './regression.ts';

const queues = { q0: { quota: { pods: '2' } } };

/** Two pods of p0 leave room for one more, which the third takes that its user wants then. */
const scaledUp: Pick<QueueStory, 'seed' | 'queues' | 'hasStandby' | 'actions'> = {
  seed: 4001,
  queues: { q0: { quota: { pods: '3', cpu: '3' }, strategy: 'BestEffort' } },
  hasStandby: false,
  actions: [
    {
      do: 'createPlain',
      name: 'p0',
      spec: { queue: 'q0', parallelism: 2, completions: 3, cpu: '1', work: {} },
      atMs: 0,
    },
    { do: 'createJob', name: 'j0', spec: jobSpec('q0', 1, '1', { forMs: 600 }), atMs: 37 },
    { do: 'plain', name: 'p0', how: 'scaleUp', queue: 'q0', atMs: 395 },
  ],
};

export const quotaRegressions: readonly Regression[] = [
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
    was: 'a job deleted right after its start gave its quota back before its pods were known',
    story: {
      seed: 4001,
      queues: { q0: { quota: { pods: '3', cpu: '3' }, strategy: 'BestEffort' } },
      hasStandby: false,
      actions: [
        { do: 'createJob', name: 'j0', spec: jobSpec('q0', 2, '1', { forMs: 1_000 }), atMs: 0 },
        { do: 'deleteJob', name: 'j0', atMs: 115 },
        { do: 'createJob', name: 'j0', spec: jobSpec('q0', 2, '1', { forMs: 1_000 }), atMs: 366 },
      ],
      faults: [{ fault: 'F15', call: 3, side: 'before' }],
    },
  },
  {
    was: 'the room that a labelled Job was scaled up by was given away before its pods were seen',
    story: { ...scaledUp, faults: [{ fault: 'F9', call: 3, side: 'after' }] },
  },
  {
    was: 'an admission was blamed for a scale-up that came while it was on its way',
    story: { ...scaledUp, faults: [{ fault: 'F14', call: 5, side: 'before' }] },
  },
  {
    was: 'an admission was blamed for a scale-up of which no read had told yet',
    story: { ...scaledUp, faults: [{ fault: 'F4', call: 4, side: 'before' }] },
  },
  {
    was: 'a new leader started a job while a frozen one had a write of the ledger on its way',
    story: {
      ...{ seed: 1, hasStandby: true },
      queues: { q0: { quota: { pods: '1' } }, q1: { quota: { pods: '1' } } },
      actions: [
        // It has the name of the batch Job of j0, so that nothing is made for that.
        {
          do: 'createPlain',
          name: 'j0',
          spec: {
            ...{ queue: 'q1', parallelism: 1, completions: 1, cpu: '1' },
            work: { forMs: 300 },
          },
          atMs: 0,
        },
        { do: 'createJob', name: 'j0', spec: jobSpec('q0', 1, '1', { forMs: 9_000 }), atMs: 500 },
        { do: 'createJob', name: 'j1', spec: jobSpec('q0', 1, '1', { forMs: 9_000 }), atMs: 600 },
        { do: 'job', name: 'j0', patch: { suspend: true }, atMs: 1_000 },
        { do: 'plain', name: 'j0', how: 'delete', queue: 'q1', atMs: 7_000 },
        { do: 'job', name: 'j0', patch: { suspend: false }, atMs: 7_100 },
      ],
      faults: [
        { fault: 'F16', operator: 1, call: 17, side: 'before' },
        { fault: 'F13', operator: 0, call: 56, side: 'before' },
      ],
    },
  },
  {
    was: 'a deleted job gave its quota back, and the answer to its start had been lost',
    story: {
      seed: 9001,
      queues: { q0: { quota: { pods: '3', cpu: '3' }, strategy: 'BestEffort' } },
      hasStandby: false,
      actions: [
        { do: 'createJob', name: 'j0', spec: jobSpec('q0', 2, '1', { forMs: 1_000 }), atMs: 0 },
        { do: 'deleteJob', name: 'j0', atMs: 98 },
        { do: 'createJob', name: 'j0', spec: jobSpec('q0', 2, '1', { forMs: 1_000 }), atMs: 379 },
      ],
      faults: [{ fault: 'F15', call: 6, side: 'after' }],
    },
  },
  {
    was: 'each attempt that did not start in time kept its quota for five seconds more',
    story: {
      seed: 830000221,
      queues: {
        q0: { quota: { pods: '5', cpu: '7500m' }, strategy: 'StrictFIFO', maxPriority: 5 },
      },
      ...{ isWalk: true, hasStandby: false, startsEmpty: false },
      actions: [
        { do: 'queue', name: 'q0', patch: { paused: true }, atMs: 1902 },
        {
          do: 'createJob',
          name: 'k0',
          spec: jobSpec('q0', 3, '1', { forMs: 1471 }, { priority: 0 }),
          atMs: 3923,
        },
        {
          do: 'createJob',
          name: 'k1',
          spec: jobSpec('q0', 2, '1', { forMs: 3461 }, { priority: 3 }),
          atMs: 2959,
        },
        {
          do: 'createJob',
          name: 'k3',
          spec: jobSpec('q0', 3, '1', { forMs: 5605 }, { priority: 1 }),
          atMs: 1578,
        },
        {
          do: 'createJob',
          name: 'k4',
          spec: jobSpec('q0', 3, '1', { forMs: 700 }, { priority: 1 }),
          atMs: 1932,
        },
        {
          do: 'createJob',
          name: 'k5',
          spec: jobSpec('q0', 3, '500m', { forMs: 743 }, { priority: 2 }),
          atMs: 1588,
        },
        {
          do: 'createJob',
          name: 'k6',
          spec: jobSpec('q0', 1, '500m', { forMs: 4930 }, { priority: 3 }),
          atMs: 2486,
        },
        {
          do: 'createJob',
          name: 'k7',
          spec: jobSpec('q0', 3, '500m', { forMs: 2685 }, { priority: 2 }),
          atMs: 4587,
        },
        {
          do: 'createJob',
          name: 'k8',
          spec: jobSpec('q0', 3, '500m', { forMs: 1755 }, { priority: 0 }),
          atMs: 5358,
        },
        {
          do: 'createPlain',
          name: 'p1',
          spec: { queue: 'q0', parallelism: 3, completions: 2, cpu: '1', work: { forMs: 2872 } },
          atMs: 425,
        },
        {
          do: 'createPlain',
          name: 'p3',
          spec: {
            queue: 'q0',
            parallelism: 2,
            completions: 4,
            cpu: '1',
            work: { forMs: 1303, endsWell: true },
            isStarted: true,
          },
          atMs: 416,
        },
        { do: 'limitRange', maxCpu: '500m', atMs: 11474 },
        { do: 'webhook', adds: '500m', atMs: 3254 },
        { do: 'status', name: 'j0', atMs: 11413 },
        { do: 'deleteJob', name: 'j2', atMs: 14698 },
        {
          do: 'createJob',
          name: 'j2',
          spec: jobSpec(
            'q0',
            2,
            '2',
            { forMs: 1584 },
            { priority: -1, retries: { application: 2, other: 1 } },
          ),
          atMs: 14755,
        },
        {
          do: 'createJob',
          name: 'j0',
          spec: jobSpec(
            'q0',
            2,
            '1',
            { failsFirst: 2, readyInMs: 2848 },
            { startTimeoutSeconds: 1 },
          ),
          atMs: 14802,
        },
        { do: 'job', name: 'j2', patch: { suspend: true }, atMs: 14822 },
        { do: 'job', name: 'j2', patch: { suspend: false }, atMs: 14877 },
        { do: 'queue', name: 'q0', patch: { paused: null }, atMs: 15877, mends: true },
        { do: 'queue', name: 'q1', patch: { paused: null }, atMs: 15877, mends: true },
      ],
      faults: [],
    },
  },
  {
    was: 'a job was started by what was known before etcd was restored',
    story: {
      seed: 12009,
      queues: { q0: { quota: { pods: '3', cpu: '3' }, strategy: 'BestEffort' } },
      hasStandby: false,
      actions: [
        {
          do: 'createJob',
          name: 'j0',
          spec: jobSpec('q0', 2, '1', {}, { activeDeadlineSeconds: 2, ttlSecondsAfterFinished: 1 }),
          atMs: 0,
        },
        {
          do: 'createJob',
          name: 'j1',
          spec: jobSpec('q0', 2, '1', { forMs: 500 }, { ttlSecondsAfterFinished: 0 }),
          atMs: 100,
        },
      ],
      faults: [{ fault: 'F21', call: 25, side: 'before' }],
    },
  },
];
