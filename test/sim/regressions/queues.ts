// Which stories about queues and jobs failed?
import { jobSpec } from '../queue/manifests.ts';
import type { Regression } from './regression.ts';

const queues = { q0: { quota: { pods: '2' } } };

const suspendedAtOnce = jobSpec('q0', 4, '1', { forMs: 6_648 }, { startTimeoutSeconds: 2 });

const failing = {
  queue: 'q0',
  parallelism: 2,
  completions: 1,
  work: { forMs: 6_398, exitCode: 1 },
};
const refused = {
  ...{ queue: 'q0', parallelism: 2, completions: 4, work: { forMs: 1_744 } },
  isStarted: true,
};

const retried = jobSpec('q0', 2, '1', { forMs: 900, failsFirst: 1 });

/** Its sidecar requests nothing. */
const lacking = jobSpec(
  'q0',
  2,
  '1',
  { forMs: 900 },
  {
    template: {
      spec: {
        terminationGracePeriodSeconds: 3,
        initContainers: [{ name: 'proxy', image: 'example.org/proxy', restartPolicy: 'Always' }],
      },
    },
  },
);

/** Of eight ranks, and they start within three seconds. */
const eight = jobSpec(
  'q0',
  8,
  '1',
  { forMs: 4_000 },
  { startTimeoutSeconds: 3, retries: { other: 4 } },
);

export const queueRegressions: readonly Regression[] = [
  {
    was: 'two gangs that the nodes hold one at a time timed out in step, and failed',
    story: {
      ...{ seed: 7, queues: { q0: { quota: { pods: '16' }, paused: true } }, hasStandby: false },
      podsOnNodes: 10,
      actions: [
        { do: 'createJob', name: 'j0', spec: eight, atMs: 0 },
        { do: 'createJob', name: 'j1', spec: eight, atMs: 10 },
        { do: 'queue', name: 'q0', patch: { paused: false }, atMs: 3_000 },
      ],
      faults: [],
    },
  },
  {
    was: 'a job was admitted whose sidecar lacks the request that a ResourceQuota demands',
    story: {
      ...{ seed: 5, queues, hasStandby: false },
      actions: [
        { do: 'resourceQuota', hard: { 'requests.cpu': '9' }, atMs: 0 },
        { do: 'createJob', name: 'j0', spec: lacking, atMs: 5_000 },
      ],
      faults: [],
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
  {
    was: 'a new leader said Running after Succeeded, since its watches told of the end one by one',
    story: {
      seed: 61,
      queues: { q0: { quota: { pods: '3', cpu: '3' }, strategy: 'BestEffort' } },
      hasStandby: false,
      actions: [
        { do: 'createJob', name: 'j0', spec: jobSpec('q0', 2, '1', { forMs: 1_500 }), atMs: 0 },
        { do: 'queue', name: 'q0', patch: { quota: { pods: '1' } }, atMs: 771 },
        { do: 'createJob', name: 'j1', spec: jobSpec('q0', 2, '1', { forMs: 600 }), atMs: 780 },
        { do: 'queue', name: 'q0', patch: { quota: { pods: '3' } }, atMs: 2_500 },
      ],
      faults: [{ fault: 'F5', call: 28, side: 'before' }],
    },
  },
  {
    was: 'an entry that a user took out of the ledger, and that came back, counted as an admission',
    story: {
      ...{ seed: 3, queues, hasStandby: false },
      actions: [
        {
          do: 'createJob',
          name: 'j0',
          spec: jobSpec('q0', 2, '1', { never: 'bound' }, { startTimeoutSeconds: 2 }),
          atMs: 100,
        },
        { do: 'createJob', name: 'j1', spec: jobSpec('q0', 2, '1', { forMs: 500 }), atMs: 700 },
        { do: 'ledger', how: 'delete', atMs: 6_800 },
      ],
      faults: [],
    },
  },
  {
    was: 'a job that got what it lacked of a ResourceQuota waited on: an admitted job had that',
    story: {
      ...{ seed: 4, queues: { q0: { quota: { pods: '9' } } }, hasStandby: false },
      actions: [
        { do: 'resourceQuota', hard: { 'requests.cpu': '3' }, atMs: 0 },
        { do: 'webhook', adds: '500m', atMs: 0 },
        {
          do: 'createPlain',
          name: 'p0',
          spec: { queue: 'q0', parallelism: 3, completions: 3, cpu: '1', work: {} },
          atMs: 100,
        },
        { do: 'createJob', name: 'j0', spec: jobSpec('q0', 1, '1', {}), atMs: 2_000 },
      ],
      faults: [],
    },
  },
  {
    was: 'all was at rest, though a ResourceQuota had room for a job that waited',
    story: {
      ...{ seed: 5, queues: { q0: { quota: { pods: '9' } } }, hasStandby: false },
      actions: [
        { do: 'resourceQuota', hard: { 'requests.cpu': '3' }, atMs: 0 },
        { do: 'createJob', name: 'j0', spec: jobSpec('q0', 2, '1', {}), atMs: 100 },
        { do: 'createJob', name: 'j1', spec: jobSpec('q0', 1, '1', { forMs: 18_000 }), atMs: 300 },
      ],
      faults: [],
    },
  },
  {
    was: 'a new leader took back an attempt that had failed, and its failure was lost',
    story: {
      seed: 2001,
      queues: { q0: { quota: { pods: '3', cpu: '3' }, strategy: 'BestEffort' } },
      hasStandby: false,
      actions: [{ do: 'createJob', name: 'j0', spec: retried, atMs: 0 }],
      faults: [{ fault: 'F5', call: 11, side: 'after' }],
    },
  },
  {
    was: 'a new leader with outdated views counted the failure of an attempt twice',
    story: {
      seed: 2001,
      queues: { q0: { quota: { pods: '3', cpu: '3' }, strategy: 'BestEffort' } },
      hasStandby: false,
      actions: [{ do: 'createJob', name: 'j0', spec: retried, atMs: 0 }],
      faults: [{ fault: 'F5', call: 19, side: 'after' }],
    },
  },
  {
    was: 'the same, when the status of the job was news while its pods were read',
    story: {
      seed: 4001,
      queues: { q0: { quota: { pods: '3', cpu: '3' }, strategy: 'BestEffort' } },
      hasStandby: false,
      actions: [{ do: 'createJob', name: 'j0', spec: retried, atMs: 0 }],
      faults: [{ fault: 'F5', call: 23, side: 'before' }],
    },
  },
  {
    was: 'users granted by figures of a moment before, and another job had just got what was free',
    story: {
      seed: 720200064,
      queues: { q0: { quota: { cpu: '3' }, maxPriority: 0 }, q1: { quota: { pods: '4' } } },
      hasStandby: false,
      actions: [
        {
          do: 'createJob',
          name: 'j0',
          spec: jobSpec('q0', 3, '1', {}, { priority: 3 }),
          atMs: 2_580,
        },
        { do: 'createJob', name: 'j1', spec: jobSpec('q0', 2, '1', {}), atMs: 553 },
        { do: 'createJob', name: 'j2', spec: jobSpec('q0', 2, '2', { exitCode: 1 }), atMs: 2_355 },
        { do: 'resourceQuota', hard: { pods: '1' }, atMs: 764 },
        { do: 'loseNode', index: 2, forMs: 14_582, atMs: 14_837 },
      ],
      faults: [],
    },
  },
  {
    was: 'a new leader with outdated views said of an attempt that was over that it starts late',
    story: {
      seed: 7001,
      queues: { q0: { quota: { pods: '3', cpu: '3' }, strategy: 'BestEffort' } },
      hasStandby: false,
      actions: [{ do: 'createJob', name: 'j0', spec: retried, atMs: 0 }],
      faults: [{ fault: 'F5', call: 22, side: 'after' }],
    },
  },
  {
    was: 'one that goes first took what users had granted to a job, which then lacked the same',
    story: {
      seed: 790000087,
      queues: {
        q0: { quota: { pods: '4' }, strategy: 'BestEffort', maxPriority: 0 },
        q1: { quota: { cpu: '6' }, strategy: 'BestEffort', maxPriority: 5 },
      },
      ...{ isWalk: true, hasStandby: false, startsEmpty: false },
      actions: [
        { do: 'deleteQueue', name: 'q0', atMs: 7727 },
        { do: 'resourceQuota', hard: { 'requests.cpu': '2' }, atMs: 4932 },
        {
          do: 'createJob',
          name: 'k0',
          spec: jobSpec('q0', 1, '500m', { forMs: 2450 }, { priority: 2 }),
          atMs: 3300,
        },
        {
          do: 'createJob',
          name: 'k2',
          spec: jobSpec('q0', 2, '1', { forMs: 4227 }, { priority: 1 }),
          atMs: 2676,
        },
        {
          do: 'createJob',
          name: 'k3',
          spec: jobSpec('q0', 1, '1', { forMs: 1701 }, { priority: 2 }),
          atMs: 5982,
        },
        {
          do: 'createJob',
          name: 'k6',
          spec: jobSpec('q0', 2, '1', { forMs: 3144 }, { priority: 2 }),
          atMs: 5586,
        },
        {
          do: 'createJob',
          name: 'k7',
          spec: jobSpec('q0', 2, '500m', { forMs: 2810 }, { priority: 2 }),
          atMs: 1644,
        },
        {
          do: 'createJob',
          name: 'k8',
          spec: jobSpec('q0', 2, '500m', { forMs: 3443 }, { priority: 1 }),
          atMs: 1784,
        },
        {
          do: 'createJob',
          name: 'j4',
          spec: jobSpec('q1', 3, '1', { failsFirst: 1 }, { priority: 3, startTimeoutSeconds: 2 }),
          atMs: 971,
        },
        { do: 'queue', name: 'q0', patch: { paused: null }, atMs: 15525, mends: true },
        { do: 'queue', name: 'q1', patch: { paused: null }, atMs: 15525, mends: true },
      ],
      faults: [],
    },
  },
  {
    was: 'a job that was suspended right after its start was Suspended before its last pod was made',
    story: {
      seed: 740400039,
      queues: {
        q0: { quota: { pods: '4', cpu: '4900m' }, strategy: 'StrictFIFO', maxPriority: 5 },
        q1: { quota: { pods: '6', cpu: '4200m' }, strategy: 'BestEffort', maxPriority: 0 },
      },
      hasStandby: false,
      actions: [
        { do: 'createJob', name: 'j0', spec: suspendedAtOnce, atMs: 10_490 },
        {
          do: 'createJob',
          name: 'j1',
          spec: jobSpec('q0', 5, '2', { forMs: 1_553 }, { startTimeoutSeconds: 4 }),
          atMs: 10_518,
        },
        { do: 'job', name: 'j0', patch: { suspend: true }, atMs: 10_520 },
      ],
      faults: [],
    },
  },
  {
    was: 'all was at rest, though a Job that a ResourceQuota refused would run when another ends',
    story: {
      seed: 770000111,
      queues: { q0: { quota: { cpu: '6' } } },
      hasStandby: false,
      actions: [
        { do: 'resourceQuota', hard: { pods: '1' }, atMs: 510 },
        { do: 'createPlain', name: 'p2', spec: { ...failing, cpu: '500m' }, atMs: 5_786 },
        { do: 'createPlain', name: 'p3', spec: { ...refused, cpu: '250m' }, atMs: 5_794 },
        { do: 'plain', name: 'p2', how: 'unlabel', queue: 'q0', atMs: 8_130 },
      ],
      faults: [],
    },
  },
  {
    was: 'a job waited as one that never begins, because writes of the ledger had been refused',
    story: {
      seed: 6,
      queues: { q0: { quota: { pods: '3', cpu: '3' }, strategy: 'StrictFIFO' } },
      hasStandby: false,
      actions: [
        {
          do: 'createPlain',
          name: 'p0',
          spec: { queue: 'q0', parallelism: 2, completions: 3, cpu: '1', work: {} },
          atMs: 0,
        },
        { do: 'plain', name: 'p0', how: 'scaleUp', queue: 'q0', atMs: 20 },
      ],
      faults: [{ fault: 'F12', call: 3, side: 'before' }],
    },
  },
  {
    was: 'a new leader counted a batch Job as deleted that its watch had not reported yet',
    story: {
      seed: 6,
      queues: { q0: { quota: { pods: '3', cpu: '3' }, strategy: 'StrictFIFO' } },
      hasStandby: false,
      actions: [
        { do: 'createJob', name: 'j0', spec: jobSpec('q0', 2, '1', { forMs: 1_500 }), atMs: 0 },
        { do: 'queue', name: 'q0', patch: { quota: { pods: '1' } }, atMs: 803 },
        { do: 'createJob', name: 'j1', spec: jobSpec('q0', 2, '1', { forMs: 600 }), atMs: 27 },
        { do: 'queue', name: 'q0', patch: { quota: { pods: '3' } }, atMs: 2_500 },
      ],
      faults: [{ fault: 'F5', call: 14, side: 'after' }],
    },
  },
  {
    was: 'a job was not made again after a read of an earlier state, in which it did not exist',
    story: {
      seed: 52206,
      queues: { q0: { quota: { cpu: '3' }, strategy: 'StrictFIFO', maxPriority: 0 } },
      hasStandby: true,
      actions: [
        { do: 'queue', name: 'q0', patch: { quota: { pods: '6' } }, atMs: 312 },
        {
          do: 'createJob',
          name: 'j0',
          spec: jobSpec('q0', 3, '500m', { exitCode: 1 }, { activeDeadlineSeconds: 4 }),
          atMs: 624,
        },
      ],
      faults: [
        { fault: 'F4', operator: 1, call: 16, side: 'before' },
        { fault: 'F12', operator: 1, call: 6, side: 'before' },
      ],
    },
  },
];
