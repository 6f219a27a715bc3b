// Which stories failed when a user emptied, deleted or edited the ConfigMap, or removed its labels?
import type { Regression } from './regression.ts';

export const spoiledRegressions: readonly Regression[] = [
  {
    was: 'a ConfigMap emptied before status recorded its version was published under that version again, with other streams',
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
    was: 'a ConfigMap deleted before status recorded its version was published under that version again',
    story: {
      seed: 21,
      shape: { mode: 'Deployment', workers: 1, streams: 1 },
      hasStandby: false,
      actions: [{ do: 'scale', to: 3, atMs: 0 }],
      faults: [{ fault: 'F17', how: 'deletes the ConfigMap', call: 2, side: 'before' }],
    },
  },
  {
    was: 'labels that a user removed from the ConfigMap stayed away',
    story: {
      seed: 1_391,
      shape: { mode: 'Shards', workers: 2, streams: 1 },
      hasStandby: false,
      actions: [],
      faults: [{ fault: 'F17', how: 'takes labels and annotations off', atMs: 1_599 }],
    },
  },
  {
    was: 'a stream just assigned to one worker was assigned to another, with the ConfigMap spoiled at that moment',
    story: {
      seed: 82_396,
      shape: { mode: 'Exclusive', workers: 2, streams: 3 },
      hasStandby: false,
      actions: [
        { do: 'streams', names: ['s0', 's1', 's2', 's3', 's4'], atMs: 773 },
        { do: 'scale', to: 3, atMs: 1_692 },
      ],
      faults: [
        { fault: 'F17', how: 'writes nonsense into the ConfigMap', call: 13, side: 'before' },
      ],
    },
  },
];
