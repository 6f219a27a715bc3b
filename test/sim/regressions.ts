// Which stories have ended badly before? Each as short as it could be made, with what was wrong with it then.
import type { Story } from './story/story.ts';
import { aimedAt } from './story/wishes.ts';

export type Regression = { readonly was: string; readonly story: Story };

export const regressions: readonly Regression[] = [
  {
    was: 'a ConfigMap that was emptied before status told of its version was published under that version again, with other streams',
    story: {
      seed: 95,
      shape: { mode: 'Restart', workers: 2, streams: 4 },
      hasStandby: false,
      actions: [
        { do: 'streams', names: ['s0', 's1', 's2', 's3', 's4'], atMs: 0 },
        { do: 'streams', names: ['s2', 's3', 's4'], atMs: 12 },
      ],
      faults: [{ fault: 'F17', how: 'empties the ConfigMap', call: 2, side: 'before' }],
    },
  },
  {
    was: 'a ConfigMap that was deleted before anybody looked at its version was published under that version again',
    story: {
      seed: 21,
      shape: { mode: 'Deployment', workers: 1, streams: 1 },
      hasStandby: false,
      actions: [{ do: 'scale', to: 3, atMs: 0 }],
      faults: [{ fault: 'F17', how: 'deletes the ConfigMap', call: 2, side: 'before' }],
    },
  },
  {
    was: 'the status of a paused pool forgot how far its version had been',
    story: {
      seed: 21,
      shape: { mode: 'Restart', workers: 1, streams: 1 },
      hasStandby: false,
      actions: [
        { do: 'spec', patch: { assignments: { key: 'other' } }, atMs: 2_711 },
        { do: 'pause', atMs: 2_812 },
        { do: 'restore', atMs: 7_893 },
        { do: 'resume', atMs: 8_500 },
      ],
      faults: [],
    },
  },
  {
    was: 'labels that somebody took off the ConfigMap stayed off',
    story: {
      seed: 1_391,
      shape: { mode: 'Shards', workers: 2, streams: 1 },
      hasStandby: false,
      actions: [],
      faults: [{ fault: 'F17', how: 'takes labels and annotations off', atMs: 1_599 }],
    },
  },
  {
    was: 'a pool was Reconciling and Stalled at a time',
    story: {
      seed: 12_566,
      shape: { mode: 'AtLeastOnce', workers: 2, streams: 3 },
      hasStandby: false,
      actions: [
        { do: 'spec', patch: { streamsFrom: [{ configMapKeyRef: { name: 'more-streams', key: 'list' } }] }, atMs: 0 },
        { do: 'list', text: 'a\na\n', atMs: 10 },
        { do: 'scale', to: 3, atMs: 20 },
        { do: 'restore', atMs: 6_000 },
      ],
      faults: [],
    },
  },
  {
    was: 'one that took over gave a stream away whose worker it had not seen: its watch of pods had been silent while the leader before told that worker',
    story: {
      seed: 2,
      shape: { mode: 'Exclusive', workers: 2, streams: 4 },
      hasStandby: true,
      actions: [
        { do: 'deletePod', index: 1, atMs: 0 },
        { do: 'restartOperator', atMs: 3_300 },
        { do: 'scale', to: 1, atMs: 4_300 },
      ],
      faults: [{ fault: 'F9', how: 'Pod', operator: 0, atMs: 190 }],
    },
  },
  {
    was: 'a pool that was told to publish elsewhere, and back, was accused of a tug-of-war',
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
    was: 'with the ConfigMap spoiled at that moment, a stream that one worker had just been given was given to another',
    story: {
      seed: 82_396,
      shape: { mode: 'Exclusive', workers: 2, streams: 3 },
      hasStandby: false,
      actions: [
        { do: 'streams', names: ['s0', 's1', 's2', 's3', 's4'], atMs: 773 },
        { do: 'scale', to: 3, atMs: 1_692 },
      ],
      faults: [{ fault: 'F17', how: 'writes nonsense into the ConfigMap', call: 13, side: 'before' }],
    },
  },
  {
    was: 'what a leader that froze had on its way to a place that the pool names no more was found by a resync only',
    story: {
      seed: 304_250_101,
      shape: { mode: 'Lead', workers: 1, streams: 3 },
      hasStandby: true,
      actions: [
        { do: 'spec', patch: { assignments: { shards: 2 } }, atMs: 623 },
        { do: 'restore', atMs: 7_711 },
      ],
      faults: [{ fault: 'F16', call: 3, side: 'before' }],
    },
  },
  {
    was: 'where the pool was published before, a worker that has gone since stood for ever, and its streams were counted without owner',
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
    was: 'another ConfigMap and back: a leader that still read the pool as it was gave a version anew that stood in the other',
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
    was: 'another ConfigMap and back: a leader that saw the mark, and not yet what it names, gave its version anew',
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
    was: 'back at a place that was left with just what is wanted, nothing was written: what stood elsewhere was newer, and counted for ever',
    story: {
      seed: 40_480,
      shape: { mode: 'Restart', workers: 1, streams: 1, isWide: true },
      hasStandby: false,
      actions: [
        { do: 'spec', patch: { assignments: { shards: 2 } }, atMs: 1_033 },
        { do: 'addTarget', target: 'StatefulSet/other', replicas: 1, isSelected: false, atMs: 2_745 },
        { do: 'spec', patch: aimedAt('StatefulSet/other'), atMs: 3_978 },
        { do: 'dropTarget', target: 'StatefulSet/other', atMs: 6_321 },
        { do: 'restore', atMs: 8_253 },
      ],
      faults: [],
    },
  },
  {
    was: 'the ConfigMap was spoiled just after the pool had been told to publish there: history was ahead of the version',
    story: {
      seed: 60_004,
      shape: { mode: 'LeadExclusive', workers: 1, streams: 1 },
      hasStandby: false,
      actions: [
        { do: 'spec', patch: { assignments: { configMapName: 'elsewhere' } }, atMs: 0 },
        { do: 'scale', to: 3, atMs: 471 },
        { do: 'restore', atMs: 2_452 },
      ],
      faults: [{ fault: 'F17', how: 'writes nonsense into the ConfigMap', call: 7, side: 'before' }],
    },
  },
  {
    was: 'the ConfigMap was spoiled while workers of another target still ran what it said: nobody knew of them, and others were given it',
    story: {
      seed: 40_706,
      shape: { mode: 'Exclusive', workers: 2, streams: 4, isWide: true },
      hasStandby: false,
      actions: [
        { do: 'addTarget', target: 'StatefulSet/third', replicas: 2, isSelected: false, atMs: 500 },
        { do: 'spec', patch: aimedAt('StatefulSet/third'), atMs: 3_000 },
        { do: 'dropTarget', target: 'StatefulSet/third', atMs: 9_000 },
        { do: 'restore', atMs: 10_000 },
      ],
      faults: [{ fault: 'F17', how: 'writes nonsense into the ConfigMap', atMs: 3_020 }],
    },
  },
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
  {
    was: 'a worker that was told as Releasing was counted as converged, and was said not to have confirmed what it had',
    story: {
      seed: 124_291,
      shape: { mode: 'Exclusive', workers: 2, streams: 4 },
      hasStandby: false,
      actions: [
        { do: 'streams', names: ['s0'], atMs: 100 },
        { do: 'quota', of: 'ConfigMap', forMs: 3_000, atMs: 120 },
        { do: 'restore', atMs: 5_000 },
      ],
      faults: [],
    },
  },
  {
    was: 'a pod that belonged to no target any more was to stand in another file; between the two writes it stood in none, and was forgotten',
    story: {
      seed: 700000892,
      shape: { mode: 'Deployment', workers: 1, streams: 7, isOrdered: false, hasFiniteJobs: false, isSlow: true, isWide: true },
      isWalk: true,
      hasStandby: false,
      startsEmpty: false,
      actions: [
        { do: 'nodeDies', index: 1, forMs: 12101, atMs: 4489 },
        { do: 'giveUpDead', atMs: 12007 },
        { do: 'addTarget', target: 'Deployment/crew', replicas: 2, isSelected: false, atMs: 4808 },
        {
          do: 'spec',
          patch: { workers: { kind: null, selector: null, targetRef: { kind: 'Deployment', name: 'crew' } } },
          says: 'Deployment/crew',
          atMs: 5532,
        },
        {
          do: 'spec',
          patch: { workers: { kind: null, selector: null, targetRef: { kind: 'Deployment', name: 'worker' } } },
          says: 'Deployment/worker',
          atMs: 5583,
        },
        { do: 'streams', names: ['s3', 's4', 's5'], atMs: 3670 },
        { do: 'spec', patch: { assignments: { shards: 2 } }, says: 'assignments.shards = 2', atMs: 971 },
        { do: 'createTarget', atMs: 12572, mends: true },
        { do: 'createPool', atMs: 12374, mends: true },
        { do: 'relabel', target: 'Deployment/worker', isSelected: true, atMs: 15027, mends: true },
        { do: 'rollTarget', target: 'Deployment/worker', revision: 'second', atMs: 14297, mends: true },
        { do: 'removeOrphans', atMs: 14823, mends: true },
        { do: 'dropTarget', target: 'StatefulSet/other', atMs: 13085, mends: true },
        { do: 'dropTarget', target: 'StatefulSet/third', atMs: 12701, mends: true },
        { do: 'relabel', target: 'Deployment/crew', isSelected: false, atMs: 13056, mends: true },
        { do: 'resume', atMs: 14639, mends: true },
        { do: 'restore', atMs: 14165, mends: true },
      ],
      faults: [{ fault: 'F10', call: 25, side: 'before' }],
    },
  },
  {
    was: 'Exclusive, two owners: an editor took from the record of a worker that ended what it was still to let go',
    story: {
      seed: 700012220,
      shape: { mode: 'LeadExclusive', workers: 2, streams: 8, isOrdered: false, hasFiniteJobs: false, isSlow: true, isWide: true },
      isWalk: true,
      hasStandby: true,
      startsEmpty: false,
      actions: [
        { do: 'addTarget', target: 'StatefulSet/other', replicas: 3, isSelected: false, atMs: 1952 },
        {
          do: 'spec',
          patch: { workers: { kind: null, selector: null, targetRef: { kind: 'StatefulSet', name: 'other' } } },
          says: 'StatefulSet/other',
          atMs: 1972,
        },
        { do: 'dropTarget', target: 'StatefulSet/worker', leavesPods: false, atMs: 2588 },
        {
          do: 'spec',
          patch: { workers: { kind: null, selector: null, targetRef: { kind: 'StatefulSet', name: 'other' } } },
          says: 'StatefulSet/other',
          atMs: 2385,
        },
        { do: 'spec', patch: { assignments: { shards: 3 } }, says: 'shards', atMs: 6964 },
        { do: 'createTarget', atMs: 7923, mends: true },
        { do: 'createPool', atMs: 8424, mends: true },
        { do: 'relabel', target: 'StatefulSet/worker', isSelected: true, atMs: 8869, mends: true },
        { do: 'rollTarget', target: 'StatefulSet/worker', revision: 'first', atMs: 9693, mends: true },
        { do: 'removeOrphans', atMs: 9288, mends: true },
        { do: 'dropTarget', target: 'StatefulSet/other', atMs: 7794, mends: true },
        { do: 'dropTarget', target: 'StatefulSet/third', atMs: 7603, mends: true },
        { do: 'dropTarget', target: 'Deployment/crew', atMs: 8205, mends: true },
        { do: 'resume', atMs: 9438, mends: true },
        { do: 'restore', atMs: 9771, mends: true },
      ],
      faults: [{ fault: 'F17', operator: 1, atMs: 3665 }],
    },
  },
  {
    was: 'a pod of a Deployment that had lost its slot together with the assignment was not counted: Converged while it still ran its streams',
    story: {
      seed: 700015900,
      shape: { mode: 'Deployment', workers: 3, streams: 1, isOrdered: false },
      hasStandby: false,
      actions: [{ do: 'scale', to: 0, atMs: 0 }],
      faults: [{ fault: 'F17', call: 1, side: 'after' }],
    },
  },
  {
    was: 'a status waited for the word of a worker that was ending, and that nobody asked any more',
    story: {
      seed: 700021998,
      shape: { mode: 'LeadExclusive', workers: 1, streams: 8, isOrdered: true, hasFiniteJobs: false, isWide: true },
      isWalk: true,
      hasStandby: false,
      startsEmpty: false,
      actions: [
        { do: 'rollTarget', target: 'StatefulSet/worker', revision: 'second', atMs: 3373 },
        { do: 'nodeDies', index: 0, forMs: 9871, atMs: 3205 },
        {
          do: 'rival',
          spec: {
            workers: { targetRef: { kind: 'StatefulSet', name: 'other' }, scaling: 'Lead' },
            streams: [{ name: 'r0' }, { name: 'r1' }],
          },
          atMs: 0,
        },
        {
          do: 'rival',
          spec: {
            workers: { targetRef: { kind: 'StatefulSet', name: 'other' } },
            handoff: { type: 'Exclusive' },
            streams: [{ name: 'r0' }, { name: 'r1' }],
          },
          atMs: 7245,
        },
        { do: 'streams', names: ['s1', 's2', 's3', 's4', 's5', 's6', 's7', 's8'], atMs: 1755 },
        { do: 'rival', atMs: 7554, mends: true },
        { do: 'createTarget', atMs: 7686, mends: true },
        { do: 'createPool', atMs: 7636, mends: true },
        { do: 'resume', atMs: 9211, mends: true },
        { do: 'restore', atMs: 9582, mends: true },
      ],
      faults: [],
    },
  },
  {
    was: 'where a pool came back to, a slice of before was kept, below what its worker had been told elsewhere since',
    story: {
      seed: 700023637,
      shape: { mode: 'Lead', workers: 2, streams: 4, isOrdered: false, hasFiniteJobs: false, isWide: true },
      isWalk: true,
      hasStandby: false,
      startsEmpty: false,
      actions: [
        { do: 'spec', patch: { assignments: { shards: 3 } }, says: 'shards', atMs: 881 },
        { do: 'spec', patch: { handoff: null }, says: 'handoff', atMs: 1688 },
        {
          do: 'spec',
          patch: { workers: { kind: null, selector: { matchLabels: { app: 'nobody' } }, targetRef: null } },
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
        { do: 'rollTarget', target: 'StatefulSet/worker', revision: 'second', atMs: 9320, mends: true },
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
];
