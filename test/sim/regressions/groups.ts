// Which stories about groups failed, and which one shows how long a group leaves a member alone
// that a user scales?
import type { Regression } from './regression.ts';

export const groupRegressions: readonly Regression[] = [
  {
    was: 'Ready was True for a moment when a size had been rolled back',
    story: {
      seed: 136,
      group: { mode: 'Rollback', members: 2, size: 1 },
      hasStandby: false,
      actions: [
        { do: 'break', name: 'm1', forMs: 20_659, atMs: 0 },
        { do: 'size', to: 4, atMs: 113 },
      ],
      faults: [],
    },
  },
  {
    was: 'a member that came together with a new size was scaled before status had what it had',
    story: {
      seed: 156,
      group: { mode: 'Rollback', members: 4, size: 4 },
      hasStandby: false,
      actions: [
        { do: 'members', names: ['m1', 'm2', 'm3'], atMs: 419 },
        { do: 'size', to: 6, atMs: 9_777 },
        { do: 'restore', atMs: 15_298 },
      ],
      faults: [],
    },
  },
  {
    was: 'the simulation did not wait until a hand that had scaled three times was forgotten',
    story: {
      seed: 5,
      group: { mode: 'Together', members: 3, size: 2 },
      hasStandby: false,
      actions: [
        { do: 'scaleMember', name: 'm0', to: 5, atMs: 1_000 },
        { do: 'scaleMember', name: 'm0', to: 6, atMs: 4_000 },
        { do: 'scaleMember', name: 'm0', to: 5, atMs: 8_000 },
        { do: 'restore', atMs: 12_000 },
      ],
      faults: [],
    },
  },
  {
    was: 'the oracle took a size as reached though a member had yet to go down to it',
    story: {
      seed: 31001169,
      group: {
        ...{ mode: 'Rollback', members: 2, size: 2, retryAfterSeconds: 60 },
        rules: [{ maxReplicas: 2 }, {}],
      },
      hasStandby: false,
      actions: [
        { do: 'quota', name: 'm0', forMs: 9_000, atMs: 1_000 },
        { do: 'scaleMember', name: 'm0', to: 5, atMs: 1_500 },
        { do: 'size', to: 4, atMs: 3_000 },
        { do: 'restore', atMs: 30_000 },
      ],
      faults: [],
    },
  },
  {
    was: 'the oracle blamed a blocked group for what a younger one scaled',
    story: {
      seed: 31001676,
      group: { mode: 'Together', members: 2, size: 2 },
      hasStandby: false,
      actions: [
        {
          do: 'spec',
          patch: {
            policy: { schedules: [{ name: 's0', schedule: '0 24 * * *', maxReplicas: 3 }] },
          },
          atMs: 1_000,
        },
        { do: 'rival', names: ['m0'], atMs: 4_000 },
        { do: 'rival', atMs: 9_000 },
        { do: 'restore', atMs: 12_000 },
      ],
      faults: [],
    },
  },
  {
    was: 'the oracle took a size as reached though no member had its replicas: an older group held them all when the size was asked for',
    story: {
      seed: 689979853,
      group: { mode: 'StagedRollback', members: 2, size: 1 },
      hasStandby: false,
      actions: [
        { do: 'elder', names: ['m0', 'm1'], atMs: 1_500 },
        { do: 'room', name: 'm0', pods: 2, atMs: 4_000 },
        { do: 'size', to: 6, atMs: 4_100 },
        { do: 'elder', names: [], atMs: 6_500 },
        { do: 'mendPods', name: 'm0', atMs: 14_000 },
        { do: 'restore', atMs: 15_000 },
      ],
      faults: [],
    },
  },
  {
    was: 'the oracle took a size as reached though a member that an older group had held had more than that',
    story: {
      seed: 7,
      group: {
        ...{ mode: 'Rollback', members: 2, size: 1 },
        rules: [{}, { ratio: '0.25' }],
      },
      hasStandby: false,
      actions: [
        { do: 'elder', names: ['m0', 'm1'], atMs: 1_500 },
        { do: 'size', to: 3, atMs: 4_000 },
        { do: 'quota', name: 'm1', forMs: 9_000, atMs: 4_100 },
        { do: 'elder', names: [], atMs: 6_500 },
        { do: 'restore', atMs: 20_000 },
      ],
      faults: [],
    },
  },
  {
    was: 'the oracle wanted a blocked group to say so at the moment when a user wiped its status',
    story: {
      seed: 689980069,
      group: { mode: 'Together', members: 1, size: 1 },
      hasStandby: false,
      actions: [
        {
          do: 'spec',
          patch: {
            policy: { schedules: [{ name: 's0', schedule: '0 24 * * *', maxReplicas: 3 }] },
          },
          atMs: 1_000,
        },
        { do: 'restore', atMs: 15_000 },
      ],
      faults: [{ fault: 'F17', how: 'wipes the status', atMs: 8_000 }],
    },
  },
  {
    was: 'the oracle wanted status to name an invalid schedule at the moment when it replaced another one',
    story: {
      seed: 88_534,
      group: { mode: 'Together', members: 1, size: 2 },
      hasStandby: false,
      actions: [
        {
          do: 'spec',
          patch: { policy: { schedules: [{ name: 's0', schedule: '0 0 * * 8', maxReplicas: 3 }] } },
          atMs: 1_000,
        },
        {
          do: 'spec',
          patch: {
            policy: { schedules: [{ name: 's0', schedule: '60 * * * *', maxReplicas: 3 }] },
          },
          atMs: 5_000,
        },
        { do: 'restore', atMs: 12_000 },
      ],
      faults: [],
    },
  },
  {
    was: 'the oracle took a size as reached by rules that a user had edited meanwhile',
    story: {
      seed: 88_186,
      group: { mode: 'Rollback', members: 3, size: 0 },
      hasStandby: false,
      actions: [
        {
          do: 'spec',
          patch: {
            members: null,
            selector: { matchLabels: { shop: 'yes' } },
            memberDefaults: { readyFraction: '0.5' },
            transition: { order: 'Together', onTimeout: 'Rollback', timeoutSeconds: 4 },
          },
          atMs: 1_000,
        },
        { do: 'room', name: 'm1', pods: 4, atMs: 1_010 },
        { do: 'break', name: 'm2', forMs: 8_400, atMs: 3_000 },
        { do: 'size', to: 3, atMs: 7_000 },
        {
          ...{ do: 'annotateMember', name: 'm1', atMs: 8_800 },
          annotations: { 'k8slab.info/min-replicas': '9' },
        },
        { do: 'size', to: 6, atMs: 9_100 },
        {
          ...{ do: 'annotateMember', name: 'm1', atMs: 25_000 },
          annotations: { 'k8slab.info/min-replicas': null },
        },
        { do: 'mendPods', name: 'm1', atMs: 25_100 },
        { do: 'restore', atMs: 26_000 },
      ],
      faults: [],
    },
  },
  {
    was: 'a second rollback did not restore a member that had been refused after the first one',
    story: {
      seed: 88_363,
      group: {
        ...{ mode: 'Rollback', members: 2, size: 2, retryAfterSeconds: 4 },
        rules: [{}, { ratio: '2' }],
      },
      hasStandby: false,
      actions: [
        { do: 'room', name: 'm0', pods: 2, atMs: 1_000 },
        {
          do: 'spec',
          patch: {
            members: null,
            replicas: 4,
            selector: { matchLabels: { shop: 'yes' } },
            transition: { order: 'Together', onTimeout: 'Rollback', timeoutSeconds: 4 },
          },
          atMs: 1_500,
        },
        {
          ...{ do: 'annotateMember', name: 'm1', atMs: 2_600 },
          annotations: { 'k8slab.info/stage': '-1' },
        },
        {
          ...{ do: 'annotateMember', name: 'm1', atMs: 13_000 },
          annotations: { 'k8slab.info/stage': null },
        },
        { do: 'mendPods', name: 'm0', atMs: 25_000 },
        { do: 'restore', atMs: 26_000 },
      ],
      faults: [],
    },
  },
  {
    was: 'a failed size was completed by a retry, though a member that bounds kept large was not ready',
    story: {
      seed: 512_050,
      group: {
        ...{ mode: 'Rollback', members: 2, size: 2, retryAfterSeconds: 4 },
        rules: [{}, { ratio: '0.333333333' }],
      },
      hasStandby: false,
      actions: [
        { do: 'room', name: 'm1', pods: 1, atMs: 1_000 },
        { do: 'spec', patch: { replicas: 6, policy: { minReplicas: 5 } }, atMs: 1_500 },
        { do: 'mendPods', name: 'm1', atMs: 25_000 },
        { do: 'restore', atMs: 26_000 },
      ],
      faults: [],
    },
  },
];
