// What ended badly when etcd was restored from a snapshot?
import type { Regression } from './regression.ts';

export const restoredRegressions: readonly Regression[] = [
  {
    was: 'etcd restored: a ConfigMap that had got its version anew, with other contents, was believed to be as it was read before',
    story: {
      seed: 3,
      shape: { mode: 'Exclusive', workers: 3, streams: 5, isOrdered: true },
      hasStandby: false,
      actions: [{ do: 'scale', to: 4, atMs: 0 }],
      faults: [{ fault: 'F21', call: 3, side: 'after' }],
    },
  },
  {
    was: 'etcd restored: objects that were set back were refused as older than what was known, in a list that was newer',
    story: {
      seed: 33,
      shape: { mode: 'Weights', workers: 2, streams: 1, isOrdered: false },
      hasStandby: false,
      actions: [],
      faults: [{ fault: 'F21', atMs: 279 }],
    },
  },
  {
    was: 'etcd restored: a generation that was given anew was taken for the spec that had it before',
    story: {
      seed: 817,
      shape: { mode: 'LeadExclusive', workers: 1, streams: 5, isOrdered: false },
      hasStandby: false,
      actions: [
        { do: 'streams', names: ['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7'], atMs: 0 },
        { do: 'scale', to: 4, atMs: 22 },
      ],
      faults: [{ fault: 'F21', atMs: 4_967 }],
    },
  },
];
