// Which stories failed when etcd was restored from a snapshot?
import type { Regression } from './regression.ts';

export const restoredRegressions: readonly Regression[] = [
  {
    was: 'etcd restored: the operator believed its cached contents of a ConfigMap that got the same version again with other contents',
    story: {
      seed: 3,
      shape: { mode: 'Exclusive', workers: 3, streams: 5, isOrdered: true },
      hasStandby: false,
      actions: [{ do: 'scale', to: 4, atMs: 0 }],
      faults: [{ fault: 'F21', call: 3, side: 'after' }],
    },
  },
  {
    was: 'etcd restored: the operator refused restored objects as older than its cache, although their list was newer',
    story: {
      seed: 33,
      shape: { mode: 'Weights', workers: 2, streams: 1, isOrdered: false },
      hasStandby: false,
      actions: [],
      faults: [{ fault: 'F21', atMs: 279 }],
    },
  },
  {
    was: 'etcd restored: the operator took a reused generation for the spec that had it before',
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
  {
    was: 'a restoration brought back a pool that was just deleted, and its version began at 1 again',
    story: {
      seed: 451_592_054,
      shape: { mode: 'Deployment', workers: 1, streams: 1, isOrdered: false },
      hasStandby: false,
      actions: [
        { do: 'deletePool', atMs: 19 },
        { do: 'createPool', atMs: 1_257 },
      ],
      faults: [{ fault: 'F21', call: 1, side: 'after' }],
    },
  },
];
