// Which stories failed when a worker had to be restarted?
import type { Regression } from './regression.ts';

export const restartRegressions: readonly Regression[] = [
  {
    was: 'a budget refused the first eviction of a worker that did not follow: the operator never tried again',
    story: {
      seed: 7,
      shape: { mode: 'Auto', workers: 2, streams: 4, readsOnce: true },
      hasStandby: false,
      actions: [
        { do: 'quota', of: 'eviction', forMs: 8_000, atMs: 0 },
        { do: 'streams', names: ['s0', 's1', 's2', 's3', 's4'], atMs: 10 },
      ],
      faults: [],
    },
  },
  {
    was: 'the oracle took what a pool had left in an earlier ConfigMap as published, when it came back there',
    story: {
      seed: 411_003,
      shape: { mode: 'AtLeastOnce', workers: 1, streams: 3, isOrdered: true },
      hasStandby: false,
      actions: [
        { do: 'restart', stream: 's2', token: 't991077', atMs: 453 },
        {
          do: 'spec',
          patch: { assignments: { configMapName: 'moved', key: 'config-moved.yml' } },
          says: 'place',
          atMs: 520,
        },
        { do: 'restart', stream: 's2', token: 't242027', atMs: 1_837 },
        { do: 'restore', atMs: 8_699 },
      ],
      faults: [],
    },
  },
];
