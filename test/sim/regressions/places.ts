// Which stories failed when a pool had several ConfigMaps, or got others, and the first ones back?
import { aimedAt } from '../story/valid-values.ts';
import type { Regression } from './regression.ts';

export const placeRegressions: readonly Regression[] = [
  {
    was: 'a pool whose ConfigMap was renamed, and renamed back, was Stalled with AssignmentsConflict',
    story: {
      seed: 72_360,
      shape: { mode: 'LeadExclusive', workers: 2, streams: 3 },
      hasStandby: false,
      actions: [
        { do: 'spec', patch: { assignments: { configMapName: 'other' } }, atMs: 1_900 },
        { do: 'spec', patch: { assignments: { key: 'x' } }, atMs: 2_100 },
        { do: 'restore', atMs: 4_000 },
      ],
      faults: [],
    },
  },
  {
    was: 'the earlier ConfigMap kept a worker that was gone, and its streams were counted without owner',
    story: {
      seed: 500_000_168,
      shape: { mode: 'AtLeastOnce', workers: 3, streams: 6 },
      hasStandby: false,
      actions: [
        { do: 'spec', patch: { assignments: { configMapName: 'x' } }, atMs: 500 },
        { do: 'restore', atMs: 2_000 },
        { do: 'scale', to: 2, atMs: 3_000 },
        { do: 'streams', names: ['s1', 's2'], atMs: 4_000 },
      ],
      faults: [],
    },
  },
  {
    was: 'another ConfigMap and back: a leader that still read the old spec published a version that the other ConfigMap already had',
    story: {
      seed: 313_361_636,
      shape: { mode: 'Restart', workers: 1, streams: 4 },
      hasStandby: false,
      actions: [
        { do: 'spec', patch: { assignments: { configMapName: 'elsewhere' } }, atMs: 0 },
        { do: 'scale', to: 3, atMs: 106 },
        { do: 'restore', atMs: 2_104 },
      ],
      faults: [
        { fault: 'F2', call: 11, side: 'after' },
        { fault: 'F5', atMs: 1_694 },
      ],
    },
  },
  {
    was: 'another ConfigMap and back: a leader that saw the mark, and not yet the ConfigMap that it names, published that version again',
    story: {
      seed: 760_001_193,
      shape: { mode: 'Exclusive', workers: 4, streams: 7 },
      hasStandby: false,
      actions: [
        { do: 'forcePod', index: 4, atMs: 1_392 },
        {
          do: 'spec',
          patch: { streams: [{ name: 's0', parameters: {} }, { name: 's1' }, { name: 's2' }] },
          atMs: 1_172,
        },
        { do: 'spec', patch: { assignments: { configMapName: 'other' } }, atMs: 3_478 },
        { do: 'scale', to: 3, atMs: 3_969 },
        { do: 'restore', atMs: 8_020 },
      ],
      faults: [
        { fault: 'F8', call: 35, side: 'after' },
        { fault: 'F18', atMs: 1_920 },
        { fault: 'F5', call: 36, side: 'before' },
      ],
    },
  },
  {
    was: 'the operator wrote nothing when a pool came back to a ConfigMap with just the wanted contents: the other ConfigMap was newer and counted for ever',
    story: {
      seed: 40_480,
      shape: { mode: 'Restart', workers: 1, streams: 1, isWide: true },
      hasStandby: false,
      actions: [
        { do: 'spec', patch: { assignments: { shards: 2 } }, atMs: 1_033 },
        {
          do: 'addTarget',
          target: 'StatefulSet/other',
          replicas: 1,
          isSelected: false,
          atMs: 2_745,
        },
        { do: 'spec', patch: aimedAt('StatefulSet/other'), atMs: 3_978 },
        { do: 'dropTarget', target: 'StatefulSet/other', atMs: 6_321 },
        { do: 'restore', atMs: 8_253 },
      ],
      faults: [],
    },
  },
  {
    was: 'the ConfigMap was spoiled just after the pool was told to publish there: history was ahead of the version',
    story: {
      seed: 60_004,
      shape: { mode: 'LeadExclusive', workers: 1, streams: 1 },
      hasStandby: false,
      actions: [
        { do: 'spec', patch: { assignments: { configMapName: 'elsewhere' } }, atMs: 0 },
        { do: 'scale', to: 3, atMs: 471 },
        { do: 'restore', atMs: 2_452 },
      ],
      faults: [
        { fault: 'F17', how: 'writes nonsense into the ConfigMap', call: 7, side: 'before' },
      ],
    },
  },
  {
    was: 'a pool that came back to a ConfigMap kept an old slice there, below the version that its worker had been told since',
    story: {
      seed: 700023637,
      shape: {
        mode: 'Lead',
        workers: 2,
        streams: 4,
        isOrdered: false,
        hasFiniteJobs: false,
        isWide: true,
      },
      isWalk: true,
      hasStandby: false,
      startsEmpty: false,
      actions: [
        { do: 'spec', patch: { assignments: { shards: 3 } }, says: 'shards', atMs: 881 },
        { do: 'spec', patch: { handoff: null }, says: 'handoff', atMs: 1688 },
        {
          do: 'spec',
          patch: {
            workers: { kind: null, selector: { matchLabels: { app: 'nobody' } }, targetRef: null },
          },
          says: 'selector',
          atMs: 1676,
        },
        { do: 'autoscaler', of: 'Deployment/crew', atMs: 1169 },
        { do: 'autoscaler', atMs: 3613 },
        { do: 'dropTarget', target: 'StatefulSet/worker', leavesPods: false, atMs: 4596 },
        { do: 'createTarget', atMs: 6284 },
        { do: 'autoscaler', of: 'pool', atMs: 2737 },
        { do: 'autoscaler', atMs: 7480, mends: true },
        { do: 'createTarget', atMs: 7143, mends: true },
        { do: 'createPool', atMs: 6955, mends: true },
        { do: 'relabel', target: 'StatefulSet/worker', isSelected: true, atMs: 9321, mends: true },
        {
          do: 'rollTarget',
          target: 'StatefulSet/worker',
          revision: 'second',
          atMs: 9320,
          mends: true,
        },
        { do: 'removeOrphans', atMs: 7979, mends: true },
        { do: 'dropTarget', target: 'StatefulSet/other', atMs: 6503, mends: true },
        { do: 'relabel', target: 'StatefulSet/third', isSelected: false, atMs: 6624, mends: true },
        { do: 'dropTarget', target: 'Deployment/crew', atMs: 6607, mends: true },
        { do: 'resume', atMs: 8417, mends: true },
        { do: 'restore', atMs: 8463, mends: true },
      ],
      faults: [{ fault: 'F4', call: 26, side: 'after' }],
    },
  },
  {
    was: 'two streams changed places between two ConfigMaps: the oracle did not know that one of them is in neither until the second write',
    story: {
      seed: 692_516_735,
      shape: { mode: 'Shards', workers: 2, streams: 2 },
      hasStandby: false,
      actions: [
        {
          do: 'spec',
          patch: {
            streams: [
              { name: 's0', ordinal: 1 },
              { name: 's1', ordinal: 0 },
            ],
          },
          atMs: 1_000,
        },
        {
          do: 'spec',
          patch: {
            streams: [
              { name: 's0', ordinal: 0 },
              { name: 's1', ordinal: 1 },
            ],
          },
          atMs: 70_000,
        },
      ],
      faults: [],
    },
  },
  {
    was: 'a pool with fewer shards than before wrote only those that changed: the one that it had left was as new as another, so its workers counted on when they were gone',
    story: {
      seed: 5,
      shape: { mode: 'Shards', workers: 3, streams: 3 },
      hasStandby: false,
      actions: [
        { do: 'spec', patch: { assignments: { shards: 3 } }, atMs: 1_000 },
        { do: 'spec', patch: { streamPolicy: { maxRestarts: 7 } }, atMs: 5_000 },
        { do: 'spec', patch: { assignments: { shards: 2 } }, atMs: 10_000 },
        { do: 'spec', patch: { workers: { cordoned: [2] } }, atMs: 14_000 },
        { do: 'scale', to: 2, atMs: 18_000 },
      ],
      faults: [],
    },
  },
];
